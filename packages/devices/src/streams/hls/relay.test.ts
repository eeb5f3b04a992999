import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import type { HlsViewer, StreamNow } from "@backplane/contract/devices";
import { openAreaForTest } from "../../testing/area.ts";
import { rewritePlaylist } from "./rewrite.ts";

const LIST = ["#EXTM3U", "#EXT-X-TARGETDURATION:2", '#EXT-X-MAP:URI="init.mp4"', "#EXTINF:2,", "a/1.m4s"].join("\n");

async function serve(t: TestContext, answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function open(t: TestContext, address: string, token?: string) {
  const area = await openAreaForTest(t, { name: "one process" });
  const settings = { address, ...(token === undefined ? {} : { token }) };
  const added = await area.call("POST", "/streams", { body: { name: "yard", kind: "hls", settings } });
  assert.equal(added.status, 201);
  const watch = async () => {
    const made = await area.call("POST", "/streams/yard/hls");
    assert.equal(made.status, 201, await made.clone().text());
    const { playlist } = (await made.json()) as HlsViewer;
    return playlist.slice(playlist.indexOf("/streams/"));
  };
  return { ...area, watch };
}

test("playlists are written anew with addresses of ours; what is no playlist is not", () => {
  const names: string[] = [];
  const nameOf = (address: string) => `n${names.push(address)}`;
  const text = `${LIST}\r\nhttps://cdn.example.org/2.m4s?a=b\r\nfile:///etc/passwd\r\n#EXT-X-KEY:METHOD=AES-128,URI="data:;base64,AA"`;
  const rewritten = rewritePlaylist(text, "https://media.example.org/bench/index.m3u8?x", nameOf);
  assert.deepEqual(names, [
    ...["https://media.example.org/bench/init.mp4", "https://media.example.org/bench/a/1.m4s"],
    "https://cdn.example.org/2.m4s?a=b",
  ]);
  assert.deepEqual(rewritten?.split("\n").slice(2), [
    ...['#EXT-X-MAP:URI="n1"', "#EXTINF:2,", "n2", "n3", "", '#EXT-X-KEY:METHOD=AES-128,URI="data:;base64,AA"'],
  ]);
  assert.equal(rewritePlaylist("<html>", "https://media.example.org/", nameOf), undefined);
});

test("a file is fetched once for all who look, with the token; only files that a playlist has named", async (t) => {
  const asked: string[] = [];
  const origin = await serve(t, ({ url = "", headers }, response) => {
    asked.push(`${url} ${headers.authorization}`);
    response.end(url === "/live/index.m3u8" ? LIST : `bytes of ${url}`);
  });
  const { call, json, watch } = await open(t, `${origin}/live/index.m3u8`, "hunter2");
  const [first, second] = [await watch(), await watch()];
  const list = await (await call("GET", first)).text();
  const name = /^([0-9a-f]{32}\.m4s)$/m.exec(list)?.[1] ?? "";
  for (const playlist of [first, second]) {
    const file = await call("GET", playlist.replace("index.m3u8", name));
    assert.equal(await file.text(), "bytes of /live/a/1.m4s");
  }
  assert.equal(asked.filter((one) => one === "/live/a/1.m4s Bearer hunter2").length, 1);
  assert.equal((await call("GET", first.replace("index.m3u8", "init.mp4"))).status, 404);
  const { state, viewers } = await json<StreamNow>("/streams/yard");
  assert.deepEqual([state, viewers], ["playing", 2]);
  assert.equal((await call("DELETE", first.replace("/index.m3u8", ""))).status, 204);
  assert.equal((await call("GET", first)).status, 404);
});

test("the token does not follow to another host, and a private address is refused", async (t) => {
  const asked: (string | undefined)[] = [];
  const other = await serve(t, ({ headers }, response) => {
    asked.push(headers.authorization);
    response.end("elsewhere");
  });
  const origin = await serve(t, ({ url }, response) => {
    const to = url === "/index.m3u8" ? undefined : url === "/a/1.m4s" ? "http://10.0.0.1/" : `${other}/x`;
    if (to === undefined) response.end(LIST);
    else response.writeHead(302, { location: to }).end();
  });
  const { call, watch } = await open(t, `${origin}/index.m3u8`, "hunter2");
  const playlist = await watch();
  const list = await (await call("GET", playlist)).text();
  const [init = "", part = ""] = list.match(/[0-9a-f]{32}\.m(p4|4s)/g) ?? [];
  assert.equal(await (await call("GET", playlist.replace("index.m3u8", init))).text(), "elsewhere");
  assert.deepEqual(asked, [undefined]);
  const refused = await call("GET", playlist.replace("index.m3u8", part));
  assert.equal(refused.status, 502);
  assert.match(await refused.text(), /does not connect to 10\.0\.0\.1:80.*STREAM_ALLOW/);
});

test("why there is nothing is said: a wrong token, no playlist, nothing there", async (t) => {
  const answers: Record<string, [number, string]> = {
    "/token": [401, ""],
    "/page": [200, "<html>"],
    "/gone": [404, ""],
  };
  const origin = await serve(t, ({ url = "" }, response) => {
    const [status, text] = answers[url] ?? [500, ""];
    response.writeHead(status).end(text);
  });
  const { call } = await open(t, `${origin}/token`);
  const said = async (path: string) => {
    await call("PUT", "/streams/yard", { body: { settings: { address: `${origin}${path}` } } });
    const answer = await call("POST", "/streams/yard/hls");
    assert.equal(answer.status, 502);
    return ((await answer.json()) as { detail: string }).detail;
  };
  assert.match(await said("/token"), /does not accept this token/);
  assert.match(await said("/page"), /no HLS playlist/);
  assert.match(await said("/gone"), /has nothing at this address/);
  assert.match(await said("/else"), /answered 500/);
});
