import assert from "node:assert/strict";
import { test } from "node:test";
import { createFlvReader } from "./flv.ts";
import { isBidirectional, profileOf } from "./h264.ts";
import { createInbox } from "./inbox.ts";
import { readOffer } from "./offer.ts";
import { createPacer } from "./pacer.ts";
import type { Picture } from "./picture.ts";

const SPS = Buffer.from([0x67, 66, 0xc0, 30]);
const PPS = Buffer.from([0x68, 0xce]);

function tag(type: number, tMs: number, data: Buffer): Buffer {
  const head = Buffer.alloc(11);
  head[0] = type;
  head.writeUIntBE(data.length, 1, 3);
  head.writeUIntBE(tMs & 0xffffff, 4, 3);
  head[7] = tMs >>> 24;
  return Buffer.concat([head, data, Buffer.alloc(4)]);
}
const sized = (unit: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, unit.length]), unit]);
const KEY = Buffer.from([0x65, 1, 2, 3]);
const OTHER = Buffer.from([0x41, 9]);
const FILE = Buffer.concat([
  Buffer.from("464c5601010000000900000000", "hex"),
  tag(18, 0, Buffer.from("script")),
  tag(
    9,
    0,
    Buffer.concat([
      Buffer.from([0x17, 0, 0, 0, 0, 1, 66, 0, 30, 0xff, 0xe1, 0, SPS.length]),
      SPS,
      Buffer.from([1, 0, PPS.length]),
      PPS,
    ]),
  ),
  tag(9, 33, Buffer.concat([Buffer.from([0x17, 1, 0, 0, 0]), sized(KEY)])),
  tag(9, 0x1000042, Buffer.concat([Buffer.from([0x27, 1, 0, 0, 0]), sized(OTHER)])),
]);

function readFlv(pieces: readonly Buffer[]): Picture[] {
  const pictures: Picture[] = [];
  const read = createFlvReader((picture) => pictures.push(picture));
  for (const piece of pieces) read(piece);
  return pictures;
}

test("pictures in FLV, cut at every byte: the parameters are before each key picture", () => {
  const expected = [
    { tMs: 33, isKey: true, units: [SPS, PPS, KEY] },
    { tMs: 0x1000042, isKey: false, units: [OTHER] },
  ];
  for (let at = 0; at <= FILE.length; at += 1)
    assert.deepEqual(readFlv([FILE.subarray(0, at), FILE.subarray(at)]), expected);
});

test("what is no FLV or no H.264 is refused; changed bytes harm nothing else", () => {
  assert.throws(() => readFlv([Buffer.from("not a film at all")]), /not FLV/);
  for (let at = 0; at < FILE.length; at += 1)
    for (const value of [0, 1, 127, 255]) {
      const bytes = Buffer.from(FILE);
      bytes[at] = value;
      try {
        readFlv([bytes]);
      } catch (error) {
        assert.match((error as Error).message, /FLV|H\.264|too l/);
      }
    }
});

test("an inbox keeps what was not read, in order, and has a limit", () => {
  const inbox = createInbox(10_000);
  let [added, read] = [0, 0];
  for (let round = 0; round < 3_000; round += 1) {
    const piece = Buffer.from(Array.from({ length: round % 9 }, () => added++ % 256));
    inbox.add(piece);
    const take = Math.min(inbox.view().length, round % 10);
    for (const byte of inbox.view().subarray(0, take)) assert.equal(byte, read++ % 256);
    inbox.drop(take);
  }
  assert.throws(() => inbox.add(Buffer.alloc(10_001)), /too long/);
});

test("profiles by name, and slices of B-frames", () => {
  assert.deepEqual([SPS, Buffer.from([0x67, 100, 0, 40]), Buffer.from([0x67, 1, 0, 0]), PPS].map(profileOf), [
    "baseline",
    "high",
    undefined,
    undefined,
  ]);
  // first_mb_in_slice 0 is the bit 1; slice types 0 (P), 1 (B), 2 (I), 5 (P), 6 (B), 7 (I) as Exp-Golomb numbers.
  const slices: [bits: string, isB: boolean][] = [
    ["11", false],
    ["1010", true],
    ["1011", false],
    ["100110", false],
    ["100111", true],
    ["10001000", false],
  ];
  for (const [bits, isB] of slices)
    assert.equal(isBidirectional(Buffer.from([0x41, Number.parseInt(bits.padEnd(8, "0"), 2), 0])), isB, bits);
  assert.equal(isBidirectional(Buffer.from([0x41])), false);
  assert.equal(isBidirectional(Buffer.from([0x65, 0xa0])), false);
});

test("times of pictures follow our clock, never go back, and show what is late", () => {
  let now = 1_000_000;
  const pacer = createPacer(() => now);
  assert.equal(pacer.of(0), 1_000_000);
  now += 133;
  assert.ok(Math.abs(pacer.of(33) - 1_000_033) < 1, "a picture that came 100 ms late");
  now += 10;
  assert.ok(Math.abs(pacer.of(66) - 1_000_066) < 1);
  pacer.restart();
  now += 50;
  const again = pacer.of(5);
  assert.equal(again, now, "another connection begins where we are");
  now -= 2_000;
  pacer.restart();
  assert.ok(pacer.of(5) > again, "also when our clock was set back");
});

const OFFER = [
  ...["v=0", "o=- 1 2 IN IP4 127.0.0.1", "s=-", "t=0 0", "m=video 9 UDP/TLS/RTP/SAVPF 96", "a=ice-ufrag:abcd"],
  ...["a=candidate:1 1 udp 1 10.0.0.1 5000 typ host", "a=rtpmap:96 H264/90000", "a=end-of-candidates", ""],
].join("\r\n");

test("an offer loses the addresses that it names; what cannot be answered is refused in words", () => {
  const read = readOffer(OFFER, "receive");
  assert.ok("offer" in read && !read.offer.includes("10.0.0.1") && read.offer.includes("a=rtpmap:96"));
  for (const [offer, words] of [
    ["hello", /no SDP/],
    [OFFER.replace("m=video", "m=application"), /more than video/],
    [OFFER.replace("m=video", "m=audio"), /no video/],
    [OFFER.replace("H264", "VP8"), /does not play H\.264/],
    [OFFER.replace("a=ice-ufrag:abcd", ""), /ICE/],
    [`v=0\r\n${"a=x\r\n".repeat(3_000)}`, /no SDP/],
  ] as const) {
    const refused = readOffer(offer, "receive");
    assert.ok("reason" in refused && words.test(refused.reason), offer.slice(0, 60));
  }
});
