import assert from "node:assert/strict";
import { test } from "node:test";
import { readSdp } from "./sdp.ts";

const SDP = `v=0
o=- 1 1 IN IP4 192.0.2.4
s=Session
t=0 0
a=control:*
m=audio 0 RTP/AVP 0
a=control:track2
m=video 0 RTP/AVP 96
a=rtpmap:96 H264/90000
a=fmtp:96 packetization-mode=1;profile-level-id=640028;sprop-parameter-sets=Z2QAKKwrQCgC3QDUBgbIAAA=,aO48sA==
a=control:track1
m=application 0 RTP/AVP 107
a=control:track3
`;

test("the video, its codec, its parts and its address", () => {
  const { control, video } = readSdp(SDP);
  assert.equal(control, "*");
  assert.ok(video);
  const { codec, payloadType, clockRate, parameters } = video;
  assert.deepEqual(
    { codec, payloadType, clockRate, control: video.control },
    { codec: "H.264", payloadType: 96, clockRate: 90_000, control: "track1" },
  );
  assert.deepEqual(
    parameters.map((set) => (set[0] as number) & 31),
    [7, 8],
  );
});

test("H.265 is known by both of its names, others are named as they are", () => {
  for (const [name, codec] of [
    ["H265", "H.265"],
    ["hevc", "H.265"],
    ["JPEG", undefined],
    ["MP4V-ES", undefined],
  ] as const) {
    const { video } = readSdp(SDP.replace("H264/90000", `${name}/90000`));
    assert.deepEqual([video?.codec, video?.encoding], [codec, name]);
  }
  assert.equal(
    readSdp(SDP.replace("a=rtpmap:96 H264/90000\n", "").replace("AVP 96", "AVP 26")).video?.encoding,
    "payload type 26",
  );
  for (const odd of ["\u001b[31mX", "H264\u202e", "<b>", "x".repeat(33)])
    assert.equal(readSdp(SDP.replace("H264/", `${odd}/`)).video?.encoding, "payload type 96");
});

test("a clock that cannot be is the usual one", () => {
  for (const clock of ["0", "-1", "1e-300", "Infinity", "NaN", "", "1e9"])
    assert.equal(readSdp(SDP.replace("H264/90000", `H264/${clock}`)).video?.clockRate, 90_000, clock);
});

test("no video, nonsense, and every cut of it harm nothing", () => {
  assert.equal(readSdp("").video, undefined);
  assert.equal(readSdp("m=video x y z\n").video, undefined);
  for (let at = 0; at < SDP.length; at += 1) readSdp(SDP.slice(0, at));
  assert.ok(
    (readSdp(SDP.replace(/sprop.*/, `sprop-parameter-sets=${"QQ==,".repeat(500)}`)).video?.parameters.length ?? 99) <=
      8,
  );
});
