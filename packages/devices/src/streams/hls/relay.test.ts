import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect as connectTo } from "node:net";
import { type TestContext, test } from "node:test";
import type { HlsViewer, StreamNow } from "@backplane/contract/devices";
import type { Network } from "../../sources/link.ts";
import { openAreaForTest } from "../../testing/area.ts";
import { createRelay } from "./relay.ts";
import { rewritePlaylist, targetMsOf } from "./rewrite.ts";

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

/** A stream at that address, without the rest of the product, at one moment. */
function relayOf(t: TestContext, address: string) {
  const network = {
    async connect({ hostname, port }: { hostname: string; port: number }) {
      const socket = connectTo(port, hostname);
      await once(socket, "connect");
      return socket;
    },
  } as unknown as Network;
  const relay = createRelay({
    ...{ address, token: undefined, network, now: () => 0, maxBytes: () => 33_554_432 },
    ...{ onStatus() {}, onEnd() {} },
  });
  t.after(relay.close);
  const text = async (name: string) => {
    const file = await relay.file(name);
    return file === undefined ? undefined : "reason" in file ? file.reason : file.bytes.toString();
  };
  return { ...relay, text };
}

test("a playlist does not lead to pages and data of other programs", async (t) => {
  const files: Record<string, Buffer> = {
    "/page.ts": Buffer.from(`<!doctype html><title>Router</title>${" ".repeat(100)}`),
    "/data.ts": Buffer.from(JSON.stringify({ secrets: Array(100).fill("ünlimited") })),
    "/video.ts": Buffer.concat([Buffer.from("G@\0"), Buffer.alloc(185, 0xff)]),
    "/words.vtt": Buffer.from(`WEBVTT\n\n00:00.000 --> 00:04.000\n${"Hello. ".repeat(20)}`),
    "/key": Buffer.from("sixteen letters!"),
  };
  const origin = await serve(t, ({ url = "" }, response) => {
    response.end(files[url] ?? `#EXTM3U\n${Object.keys(files).join("\n")}`);
  });
  const { text, file } = relayOf(t, `${origin}/`);
  const names = (await text("index.m3u8"))?.split("\n").slice(1) ?? [];
  const got = await Promise.all(names.map(async (name) => (await file(name)) ?? {}));
  assert.deepEqual(
    got.map((one) => ("reason" in one ? one.reason : "passed on")),
    [...Array(2).fill("A file that the playlist names is text, not video."), ...Array(3).fill("passed on")],
  );
});

test("a playlist is written anew once for all who ask; one with very many names is refused", async (t) => {
  let asked = 0;
  const origin = await serve(t, ({ url }, response) => {
    asked += 1;
    const names = Array.from({ length: url === "/few" ? 2_000 : 12_000 }, (_, i) => `URI="${i}"`);
    response.end(`#EXTM3U\n#${names.join("")}`);
  });
  const few = relayOf(t, `${origin}/few`);
  const lists = await Promise.all(Array.from({ length: 200 }, () => few.text("index.m3u8")));
  assert.equal(lists[0]?.match(/URI="[0-9a-f]{32}"/g)?.length, 2_000);
  assert.deepEqual([new Set(lists).size, asked], [1, 1]);
  assert.match((await relayOf(t, `${origin}/many`).text("index.m3u8")) ?? "", /name very many files/);
});

test("an address that is very long is left out, and a player that has gone is not waited for long", () => {
  const list = `#EXTM3U\n#EXT-X-TARGETDURATION:99999\n/${"a".repeat(3_000)}\nb.ts`;
  const rewritten = rewritePlaylist(list, "http://x.example.org/", (address) => address);
  assert.deepEqual(rewritten?.split("\n").slice(2), ["", "http://x.example.org/b.ts"]);
  assert.equal(targetMsOf(list), 60_000);
});

test("files that are on their way take a limited amount of memory", async (t) => {
  const open: ServerResponse[] = [];
  const origin = await serve(t, ({ url }, response) => {
    if (url === "/") response.end(`#EXTM3U\n${Array.from({ length: 6 }, (_, i) => `${i}.ts`).join("\n")}`);
    else {
      open.push(response);
      response.write(Buffer.alloc(10_485_760));
    }
  });
  const { text, file } = relayOf(t, `${origin}/`);
  const names = (await text("index.m3u8"))?.match(/^[0-9a-f]{32}\.ts$/gm) ?? [];
  let refused = 0;
  const enough = Promise.withResolvers<void>();
  const files = names.map(async (name) => {
    const got = await file(name);
    if (!got || !("reason" in got)) return;
    assert.match(got.reason, /on their way/);
    refused += 1;
    if (refused === 3) enough.resolve();
  });
  await enough.promise;
  for (const response of open) response.end();
  await Promise.all(files);
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
