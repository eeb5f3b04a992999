// Pictures that are pushed by WHIP, by a real pusher.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type AddedStream, DEVICES_LIMITS, type PushAccess, type TriedStream } from "@backplane/contract/devices";
import { MediaStreamTrack, RTCPeerConnection, RTCRtpCodecParameters, RtpHeader, RtpPacket } from "werift";
import { until } from "../../../../../scripts/testing/until.ts";
import { openAreaForTest } from "../../testing/area.ts";
import { PARAMETERS } from "../../testing/camera.suite.ts";
import { payloadsOf } from "../rtp.ts";

const ALONE = { name: "one process" };
const H264 = new RTCRtpCodecParameters({
  ...{ mimeType: "video/H264", clockRate: 90_000 },
  parameters: "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f",
  rtcpFeedback: [{ type: "nack" }, { type: "nack", parameter: "pli" }],
});

async function open(t: TestContext) {
  const area = await openAreaForTest(t, ALONE);
  const add = async (name: string) => {
    const added = await area.call("POST", "/streams", { body: { name, kind: "whip" } });
    assert.equal(added.status, 201, await added.clone().text());
    const { push } = (await added.json()) as AddedStream;
    assert.ok(push);
    return { ...push, address: push.address.replace("http://localhost:8790", area.first.url) };
  };
  const tried = async (name: string) => (await (await area.call("POST", `/streams/${name}/try`)).json()) as TriedStream;
  return { ...area, add, tried };
}

const post = ({ address, key }: PushAccess, body: string) =>
  fetch(address, {
    method: "POST",
    body,
    headers: { "content-type": "application/sdp", authorization: `Bearer ${key}` },
  });

/** 30 pictures per second, and a key picture only when it is asked for, as browsers do it. */
async function startPusher(t: TestContext, access: PushAccess) {
  const connection = new RTCPeerConnection({ codecs: { video: [H264] }, iceAdditionalHostAddresses: ["127.0.0.1"] });
  const track = new MediaStreamTrack({ kind: "video" });
  const { sender } = connection.addTransceiver(track, { direction: "sendonly" });
  let wantsKey = true;
  let askedFor = 0;
  sender.onPictureLossIndication.subscribe(() => {
    wantsKey = true;
    askedFor += 1;
  });
  // Otherwise the library asks a server of its choice for our address.
  for (const { connection: ice } of connection.iceTransports) delete ice.stunServer;
  await connection.setLocalDescription(await connection.createOffer());
  const answer = await post(access, connection.localDescription?.sdp ?? "");
  if (answer.status === 201) await connection.setRemoteDescription({ type: "answer", sdp: await answer.text() });
  let [number, pictures] = [65_000, 0];
  const timer = setInterval(() => {
    const units = wantsKey ? [...PARAMETERS, Buffer.alloc(9_000, 0x65)] : [Buffer.alloc(900, 0x61)];
    wantsKey = false;
    pictures += 1;
    const payloads = payloadsOf(units);
    for (const [i, payload] of payloads.entries()) {
      number = (number + 1) & 0xffff;
      const header = new RtpHeader({
        ...{ version: 2, payloadType: 96, sequenceNumber: number, timestamp: pictures * 3_000 },
        marker: i === payloads.length - 1,
      });
      track.writeRtp(new RtpPacket(header, payload));
    }
  }, 33);
  const stop = async () => {
    clearInterval(timer);
    await connection.close();
  };
  t.after(stop);
  return {
    answer,
    location: new URL(answer.headers.get("location") ?? "", access.address),
    stop,
    askedFor: () => askedFor,
  };
}

test("pictures that are pushed play; key pictures are asked for; DELETE ends it", async (t) => {
  const { add, tried, call, json } = await open(t);
  const access = await add("bench");
  assert.match((await tried("bench")).reason ?? "", /Nobody sends pictures/);
  const { answer, location, askedFor } = await startPusher(t, access);
  assert.equal(answer.status, 201);
  await until("it plays", async () => (await tried("bench")).state === "playing");
  await until("key pictures are asked for", () => askedFor() > 1);
  const text = JSON.stringify(await json("/streams"));
  assert.ok(!text.includes(access.key) && text.includes('"secrets":["key"]'), text);
  assert.equal((await fetch(location, { method: "DELETE" })).status, 401);
  const headers = { authorization: `Bearer ${access.key}` };
  assert.equal((await fetch(location, { method: "DELETE", headers })).status, 204);
  await until("it has ended", async () => /stopped|Nobody/.test((await tried("bench")).reason ?? ""));
  assert.equal((await call("DELETE", "/streams/bench")).status, 204);
});

test("a pusher that is gone without a word is noticed, and the next one takes its place", async (t) => {
  const { add, tried } = await open(t);
  const access = await add("bench");
  const first = await startPusher(t, access);
  await until("it plays", async () => (await tried("bench")).state === "playing");
  const second = await startPusher(t, access);
  assert.equal(second.answer.status, 201);
  assert.notEqual(first.location.href, second.location.href);
  await until("the second plays", async () => (await tried("bench")).state === "playing");
  await second.stop();
  await until("it is said", async () => /was lost|stopped|Nobody/.test((await tried("bench")).reason ?? ""));
});

test("without the key of the stream nobody pushes; a new key ends who pushes with the old one", async (t) => {
  const { add, tried, call } = await open(t);
  const access = await add("bench");
  const other = await add("other");
  for (const key of ["", "bpc_x", other.key, "ada"]) assert.equal((await post({ ...access, key }, "v=0")).status, 401);
  const elsewhere = { ...access, address: access.address.replace("bench", "nothing") };
  assert.equal((await post(elsewhere, "v=0")).status, 401);
  assert.equal((await call("POST", "/streams/bench/key", { as: "eve" })).status, 403);
  await startPusher(t, access);
  await until("it plays", async () => (await tried("bench")).state === "playing");
  const made = await call("POST", "/streams/bench/key");
  assert.equal(made.status, 201);
  const { key } = (await made.json()) as PushAccess;
  assert.notEqual(key, access.key);
  await until("who had the old key has ended", async () => /Nobody/.test((await tried("bench")).reason ?? ""));
  assert.equal((await post(access, "v=0")).status, 401);
  assert.equal((await startPusher(t, { ...access, key })).answer.status, 201);
  assert.equal((await call("PUT", "/streams/bench", { body: { settings: { record: true } } })).status, 200);
  await until("the key is kept with other settings", async () => (await tried("bench")).state === "playing");
});

test("hostile offers are refused or answered, and nothing else happens", async (t) => {
  const { add, tried } = await open(t);
  const access = await add("bench");
  const head = [
    "v=0",
    "o=- 1 2 IN IP4 127.0.0.1",
    "s=-",
    "t=0 0",
    "m=video 9 UDP/TLS/RTP/SAVPF 96",
    "c=IN IP4 0.0.0.0",
  ];
  const rest = ["a=mid:0", "a=ice-ufrag:abcd", "a=ice-pwd:abcdefghijklmnopqrstuvwx", "a=rtpmap:96 H264/90000"];
  const offer = [...head, ...rest, ""].join("\r\n");
  for (const [body, status] of [
    ["hello", 400],
    [offer.replace("H264", "VP8"), 400],
    [offer.replace("m=video", "m=application"), 400],
    [offer.replace("a=ice-ufrag:abcd", ""), 400],
    [`${offer}${"a=x\r\n".repeat(3_000)}`, 400],
    ["v".repeat(70_000), 413],
  ] as const)
    assert.equal((await post(access, body)).status, status, body.slice(0, 40));
  // The library reads what remains: it answers or refuses, and works afterwards.
  let seed = 7;
  for (let round = 0; round < 40; round += 1) {
    seed = (seed * 48_271) % 2_147_483_647;
    const at = seed % offer.length;
    const { status } = await post(
      access,
      `${offer.slice(0, at)}${String.fromCharCode(33 + (seed % 90))}${offer.slice(at + 1)}`,
    );
    assert.ok([201, 400, 429].includes(status), String(status));
  }
  await startPusher(t, access);
  await until("it plays", async () => (await tried("bench")).state === "playing");
});

test("a workspace has so many pushers, and no more", async (t) => {
  const { add } = await open(t);
  const answers: number[] = [];
  for (let i = 0; i <= DEVICES_LIMITS.maxPushers; i += 1)
    answers.push((await startPusher(t, await add(`s${i}`))).answer.status);
  assert.deepEqual(answers, [...Array.from({ length: DEVICES_LIMITS.maxPushers }, () => 201), 409]);
});
