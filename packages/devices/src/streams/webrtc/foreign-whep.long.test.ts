// Another server's WHEP, by a real one: the streams of a second Backplane.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import type { StreamNow, TriedStream } from "@backplane/contract/devices";
import { until } from "../../../../../scripts/testing/until.ts";
import { openAreaForTest } from "../../testing/area.ts";
import { openCameraForTest } from "../../testing/camera.suite.ts";

const ALONE = { name: "one process" };

/** A server with the stream "yard", which everybody may see who has the token "ada". */
async function openOther(t: TestContext) {
  const other = await openAreaForTest(t, ALONE);
  const { address } = await openCameraForTest(t);
  await other.call("POST", "/streams", { body: { name: "yard", kind: "rtsp", settings: { address } } });
  const viewers = async () => (await other.json<StreamNow>("/streams/yard")).viewers;
  return { whep: `${other.first.url}/api/workspaces/editor/ada/demo/current/streams/yard/whep`, viewers };
}

test("a stream of another server plays; the other server is left when nobody looks", async (t) => {
  const { whep, viewers } = await openOther(t);
  const { call, json } = await openAreaForTest(t, ALONE);
  const settings = { address: whep, token: "ada" };
  assert.equal((await call("POST", "/streams", { body: { name: "far", kind: "whep", settings } })).status, 201);
  const tryOut = async () => (await (await call("POST", "/streams/far/try")).json()) as TriedStream;
  await until("it plays", async () => (await tryOut()).state === "playing");
  const { codec, profile } = await tryOut();
  assert.deepEqual([codec, profile], ["H.264", "baseline"]);
  assert.equal(await viewers(), 1, "one viewer there, however many look here");
  const text = JSON.stringify(await json("/streams"));
  assert.ok(!text.includes('"ada"'), text);
  assert.equal((await call("DELETE", "/streams/far")).status, 204);
  await until("the other server is left", async () => (await viewers()) === 0);
});

test("what is in the way is said in words", async (t) => {
  const { whep } = await openOther(t);
  const { call } = await openAreaForTest(t, ALONE);
  const tryOut = async (settings: object) => {
    await call("POST", "/streams", { body: { name: "far", kind: "whep", settings } });
    const tried = (await (await call("POST", "/streams/far/try")).json()) as TriedStream;
    await call("DELETE", "/streams/far");
    return tried.reason ?? "";
  };
  assert.match(await tryOut({ address: whep }), /does not accept this token \(401\)/);
  assert.match(await tryOut({ address: `${whep}x`, token: "ada" }), /has nothing at this address/);
  assert.match(await tryOut({ address: "http://127.0.0.1:1024/" }), /Nothing listens at 127\.0\.0\.1:1024/);
  assert.match(await tryOut({ address: "http://10.0.0.1/whep" }), /STREAM_ALLOW/);
});

test("a hostile server sends us to no address that is not allowed, and breaks nothing", async (t) => {
  const head = ["v=0", "o=- 1 2 IN IP4 10.0.0.1", "s=-", "t=0 0", "m=video 9 UDP/TLS/RTP/SAVPF 96"];
  const rest = ["a=mid:0", "a=ice-ufrag:abcd", "a=ice-pwd:abcdefghijklmnopqrstuvwx", "a=rtpmap:96 H264/90000"];
  const answers: [body: string, words: RegExp][] = [
    [[...head, ...rest, "a=candidate:1 1 udp 1 10.0.0.1 5000 typ host", ""].join("\r\n"), /STREAM_ALLOW/],
    [[...head, ...rest, "a=candidate:1 1 udp 1 rebind.example.org 5000 typ host", ""].join("\r\n"), /STREAM_ALLOW/],
    [[...head, ...rest, "a=candidate:1 1 udp 1 169.254.169.254 80 typ host", ""].join("\r\n"), /STREAM_ALLOW/],
    [[...head, ...rest, ""].join("\r\n"), /no address/],
    ["hello", /no SDP/],
    [`v=0\r\n${"a=x\r\n".repeat(3_000)}`, /no SDP/],
    [head.join("\r\n").replace("video 9", "video 0"), /H\.264/],
    ["v=0".padEnd(70_000, "x"), /larger than 64 KiB/],
    [
      [...head, "a=candidate:1 1 udp 1 127.0.0.1 5000 typ host", "a=rtpmap:x", "a=setup:"].join("\r\n"),
      /cannot be read/,
    ],
  ];
  const server = createServer(({ url = "" }, response) => {
    const location = url === "/0" ? "http://10.0.0.1/" : "/viewer";
    response.writeHead(201, { "content-type": "application/sdp", location }).end(answers[Number(url.slice(1))]?.[0]);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { call } = await openAreaForTest(t, ALONE);
  for (const [i, [body, words]] of answers.entries()) {
    const settings = { address: `http://127.0.0.1:${port}/${i}` };
    await call("POST", "/streams", { body: { name: "far", kind: "whep", settings } });
    const tried = (await (await call("POST", "/streams/far/try")).json()) as TriedStream;
    assert.match(tried.reason ?? "", words, body.slice(-80));
    await call("DELETE", "/streams/far");
  }
});
