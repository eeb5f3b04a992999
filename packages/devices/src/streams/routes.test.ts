import assert from "node:assert/strict";
import { test } from "node:test";
import type { Stream, StreamNow, Streams, TriedStream } from "@backplane/contract/devices";
import { startCamera } from "@backplane/simulators";
import { openAreaForTest } from "../testing/area.ts";

const ALONE = { name: "one process" };
const ADDRESS = "rtsp://127.0.0.1:1024/main";
type Refusal = { code: string; detail?: string; errors?: { pointer: string; message: string }[] };

test("streams are added, listed, changed and removed; a password is never shown again", async (t) => {
  const { call, json, notes } = await openAreaForTest(t, ALONE);
  const body = { name: "door", kind: "rtsp", settings: { address: ADDRESS, user: "admin", password: "hunter2" } };
  const added = await call("POST", "/streams", { body });
  assert.equal(added.status, 201);
  const stream = (await added.json()) as Stream;
  assert.deepEqual(stream.settings, { address: ADDRESS, user: "admin", convert: false, record: false });
  assert.deepEqual([stream.secrets, stream.state, stream.viewers], [["password"], "idle", 0]);
  const text = JSON.stringify([await json<Streams>("/streams"), await json<StreamNow>("/streams/door"), notes]);
  assert.ok(!text.includes("hunter2"));
  assert.equal((await call("POST", "/streams", { body })).status, 409);
  const changed = await call("PUT", "/streams/door", { body: { settings: { convert: true } } });
  assert.deepEqual(((await changed.json()) as Stream).secrets, ["password"], "what is not given stays");
  assert.equal((await call("DELETE", "/streams/door")).status, 204);
  assert.equal((await call("DELETE", "/streams/door")).status, 404);
  assert.equal((await call("GET", "/streams/door")).status, 404);
});

test("a password goes only to the camera for which it was given", async (t) => {
  const { call } = await openAreaForTest(t, ALONE);
  const settings = { address: ADDRESS, user: "admin", password: "hunter2" };
  await call("POST", "/streams", { body: { name: "door", kind: "rtsp", settings } });
  const elsewhere = await call("PUT", "/streams/door", { body: { settings: { address: "rtsp://evil.example.org/" } } });
  assert.equal(elsewhere.status, 422);
  assert.equal(((await elsewhere.json()) as Refusal).errors?.[0]?.pointer, "/settings/password");
  const same = { settings: { address: `${ADDRESS}/other` } };
  assert.equal((await call("PUT", "/streams/door", { body: same })).status, 200);
  const given = { settings: { address: "rtsp://other.example.org/", password: "new" } };
  assert.equal((await call("PUT", "/streams/door", { body: given })).status, 200);
});

test("a token that was given for an encrypted address does not go to one that is not", async (t) => {
  const { call } = await openAreaForTest(t, ALONE);
  const settings = { address: "https://media.example.org/bench/whep", token: "secret" };
  await call("POST", "/streams", { body: { name: "stage", kind: "whep", settings } });
  const change = (given: object) => call("PUT", "/streams/stage", { body: { settings: given } });
  const plain = await change({ address: "http://media.example.org/bench/whep" });
  assert.equal(plain.status, 422);
  assert.deepEqual(((await plain.json()) as Refusal).errors, [
    {
      pointer: "/settings/token",
      message: "must be given again, because everybody on the way could read it at this address",
    },
  ]);
  assert.equal((await change({ address: "http://media.example.org/bench/whep", token: "other" })).status, 200);
  assert.equal((await change({ address: "https://media.example.org/bench/whep" })).status, 200, "it is safer now");
});

test("whoever pushes without the key of the stream is told which key it is", async (t) => {
  const { first } = await openAreaForTest(t, ALONE);
  const headers = { authorization: "Bearer ada", "content-type": "application/sdp" };
  const refused = await fetch(`${first.url}/api/whip/w/stage`, { method: "POST", body: "v=0", headers });
  const { code, title } = (await refused.json()) as Refusal & { title: string };
  assert.deepEqual([refused.status, code, title], [401, "stream-key-needed", "This needs the key of the stream"]);
});

test("what is wrong is named by field", async (t) => {
  const { call } = await openAreaForTest(t, ALONE);
  const wrong = async (kind: string, settings: object) => {
    const answer = await call("POST", "/streams", { body: { name: "door", kind, settings } });
    assert.equal(answer.status, 422);
    return ((await answer.json()) as Refusal).errors?.[0]?.pointer;
  };
  assert.equal(await wrong("cinema", {}), "/kind");
  assert.equal(await wrong("rtsp", {}), "/settings/address");
  assert.equal(await wrong("rtsp", { address: "http://camera/" }), "/settings/address");
  assert.equal(await wrong("rtsp", { address: "rtsp:///main" }), "/settings/address");
  assert.equal(await wrong("rtsp", { address: "rtsp://admin:hunter2@camera/" }), "/settings/address");
  assert.equal(await wrong("rtsp", { address: ADDRESS, colour: 1 }), "/settings/colour");
});

test("whoever may only look adds and changes nothing; others see nothing", async (t) => {
  const { call } = await openAreaForTest(t, ALONE);
  const body = { name: "door", kind: "rtsp", settings: { address: ADDRESS } };
  assert.equal((await call("POST", "/streams", { as: "eve", body })).status, 403);
  await call("POST", "/streams", { body });
  assert.equal((await call("GET", "/streams", { as: "eve" })).status, 200);
  assert.equal((await call("PUT", "/streams/door", { as: "eve", body: { settings: {} } })).status, 403);
  assert.equal((await call("DELETE", "/streams/door", { as: "eve" })).status, 403);
  assert.equal((await call("GET", "/streams", { as: "mallory" })).status, 403);
});

const OFFER = [
  ...["v=0", "o=- 1 2 IN IP4 127.0.0.1", "s=-", "t=0 0", "m=video 9 UDP/TLS/RTP/SAVPF 96", "c=IN IP4 0.0.0.0"],
  ...["a=mid:0", "a=ice-ufrag:abcd", "a=ice-pwd:abcdefghijklmnopqrstuvwx", "a=rtpmap:96 H264/90000", ""],
].join("\r\n");

test("an offer is refused before anything is connected, with the next step", async (t) => {
  const { call, first } = await openAreaForTest(t, ALONE);
  const whep = (stream: string, offer: string, headers: Record<string, string> = { authorization: "Bearer ada" }) =>
    fetch(`${first.url}/api/workspaces/editor/ada/demo/current/streams/${stream}/whep`, {
      ...{ method: "POST", body: offer, headers: { "content-type": "application/sdp", ...headers } },
    });
  const settings = { address: ADDRESS };
  await call("POST", "/streams", { body: { name: "door", kind: "rtsp", settings } });
  assert.equal((await whep("door", OFFER, {})).status, 401);
  assert.equal((await whep("door", OFFER, { authorization: "Bearer mallory" })).status, 403);
  assert.equal((await whep("nothing", OFFER)).status, 404);
  assert.equal((await whep("door", "hello")).status, 400);
  assert.equal((await whep("door", OFFER, { authorization: "Bearer ada", "content-type": "text/plain" })).status, 415);
  assert.equal((await whep("door", "v".repeat(70_000))).status, 413);
  const refused = await whep("door", OFFER);
  assert.equal(refused.status, 502);
  assert.match(((await refused.json()) as Refusal).detail ?? "", /Nothing listens at 127\.0\.0\.1:1024/);
  assert.equal((await call("PATCH", "/streams/door/whep")).status, 405);
  assert.equal((await call("DELETE", "/streams/door/whep/7b0cf2b8-6a4e-4d3f-9d59-3a3f5a0c6a11")).status, 204);
});

test("a camera is tried: what it sends, or why nothing comes", async (t) => {
  const { call } = await openAreaForTest(t, ALONE);
  const camera = await startCamera({
    ...{ port: 0, parameters: [Buffer.from([0x67, 66, 0, 30]), Buffer.from([0x68, 1])] },
    open(onPicture) {
      onPicture({ tMs: 0, isKey: true, units: [Buffer.alloc(40, 0x65)] });
      return () => {};
    },
  });
  t.after(() => camera.close());
  const add = (name: string, address: string) =>
    call("POST", "/streams", { body: { name, kind: "rtsp", settings: { address } } });
  await add("door", camera.address);
  await add("gone", ADDRESS);
  const tried = async (name: string) => (await (await call("POST", `/streams/${name}/try`)).json()) as TriedStream;
  const { state, codec, profile } = await tried("door");
  assert.deepEqual({ state, codec, profile }, { state: "playing", codec: "H.264", profile: "baseline" });
  assert.match((await tried("gone")).reason ?? "", /Nothing listens/);
});
