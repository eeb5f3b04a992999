import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_PARAMETER_BYTES, MAX_PARAMETER_SETS, MAX_UNITS, type Picture } from "./picture.ts";
import { createAssembler, payloadsOf, readRtp, ticksOf } from "./rtp.ts";

const unit = (type: number, length: number): Buffer => {
  const bytes = Buffer.alloc(length, 0x55);
  bytes[0] = 0x60 | type;
  return bytes;
};
const SPS = Buffer.from([0x67, 66, 0, 30]);
const PPS = Buffer.from([0x68, 1, 2]);

function packetsOf(units: readonly Buffer[], ticks: number, from: number): Buffer[] {
  const payloads = payloadsOf(units);
  return payloads.map((payload, i) => {
    const head = Buffer.alloc(12);
    head[0] = 0x80;
    head[1] = 96 | (i === payloads.length - 1 ? 128 : 0);
    head.writeUInt16BE((from + i) & 0xffff, 2);
    head.writeUInt32BE(ticks >>> 0, 4);
    return Buffer.concat([head, payload]);
  });
}

function assemble(packets: readonly Buffer[], parameters: readonly Buffer[] = []): Picture[] {
  const pictures: Picture[] = [];
  const take = createAssembler("H.264", { parameters, clockRate: 90_000 }, (picture) => pictures.push(picture));
  for (const packet of packets) {
    const read = readRtp(packet);
    if (read) take(read);
  }
  return pictures;
}

test("what is cut into packets comes out as it was, also where numbers and times begin anew", () => {
  const pictures = [[SPS, PPS, unit(5, 5_000)], [unit(1, 300)], [unit(1, 1_160), unit(1, 1_161)]];
  let from = 65_533;
  const packets = pictures.flatMap((units, i) => {
    const all = packetsOf(units, 2 ** 32 - 1_500 + i * 3_000, from);
    from += all.length;
    return all;
  });
  const read = assemble(packets);
  assert.deepEqual(
    read.map(({ units }) => units.map((each) => each.toString("hex"))),
    pictures.map((units) => units.map((each) => each.toString("hex"))),
  );
  assert.deepEqual(
    read.map(({ isKey }) => isKey),
    [true, false, false],
  );
  assert.deepEqual(
    read.map(({ tMs }) => Math.round(tMs)),
    [0, 33, 67],
  );
  assert.ok(packets.every(({ length }) => length <= 1_172));
});

test("a picture with a missing packet is left out", () => {
  const packets = [...packetsOf([unit(5, 4_000)], 0, 0), ...packetsOf([unit(1, 100)], 3_000, 4)];
  for (const missing of [0, 1, 2, 3]) {
    const read = assemble(packets.filter((_, i) => i !== missing));
    assert.ok(
      read.every(({ isKey }) => !isKey),
      `without packet ${missing}`,
    );
  }
});

test("what the description says of the pictures is put before a key picture that does not say it", () => {
  assert.equal(assemble(packetsOf([unit(5, 40)], 0, 0), [SPS, PPS])[0]?.units.length, 3);
  assert.equal(assemble(packetsOf([SPS, PPS, unit(5, 40)], 0, 0), [SPS, PPS])[0]?.units.length, 3);
  assert.equal(assemble(packetsOf([unit(1, 40)], 0, 0), [SPS, PPS])[0]?.units.length, 1);
});

test("several units in one packet", () => {
  const [first = Buffer.alloc(0)] = packetsOf([SPS], 0, 0);
  const sized = [SPS, PPS, unit(5, 20)].map((each) => Buffer.concat([Buffer.from([0, each.length]), each]));
  const packet = Buffer.concat([first.subarray(0, 12), Buffer.from([24]), ...sized]);
  assert.deepEqual(assemble([packet])[0]?.units.length, 3);
});

test("a picture with very many units is left out", () => {
  const [first = Buffer.alloc(0)] = packetsOf([SPS], 0, 0);
  const several = (count: number) =>
    Buffer.concat([first.subarray(0, 12), Buffer.from([24]), Buffer.alloc(count * 3, Buffer.from([0, 1, 0x65]))]);
  assert.equal(assemble([several(MAX_UNITS)])[0]?.units.length, MAX_UNITS);
  assert.deepEqual(assemble([several(MAX_UNITS + 1)]), []);
  const long = unit(5, 2_000);
  const parts = packetsOf(
    Array.from({ length: MAX_UNITS + 1 }, () => long),
    0,
    0,
  );
  assert.deepEqual(assemble(parts), []);
});

test("parameters that are very large are not put before later pictures", () => {
  const large = packetsOf([unit(7, MAX_PARAMETER_BYTES + 1)], 0, 0);
  const many = packetsOf(
    Array.from({ length: MAX_PARAMETER_SETS + 1 }, () => PPS),
    0,
    0,
  );
  for (const sets of [large, many]) {
    const read = assemble([...sets, ...packetsOf([unit(5, 40)], 3_000, sets.length)], [SPS, PPS]);
    assert.deepEqual(
      read.map(({ units }) => units.map(({ length }) => length)),
      [[SPS.length, PPS.length, 40]],
    );
  }
  assert.equal(assemble(packetsOf([unit(5, 40)], 0, 0), [unit(7, MAX_PARAMETER_BYTES + 1)])[0]?.units.length, 1);
});

test("headers with extensions, sources and padding; what is too short is none", () => {
  const plain = packetsOf([SPS], 0, 0)[0] as Buffer;
  const head = Buffer.from(plain.subarray(0, 12));
  head[0] = 0x80 | 0x20 | 0x10 | 2;
  const packet = Buffer.concat([
    head,
    Buffer.alloc(8),
    Buffer.from([0xbe, 0xde, 0, 1]),
    Buffer.alloc(4),
    SPS,
    Buffer.from([0, 0, 3]),
  ]);
  assert.deepEqual(readRtp(packet)?.payload, SPS);
  for (let length = 0; length < 28; length += 1) readRtp(packet.subarray(0, length));
  assert.equal(readRtp(Buffer.alloc(11)), undefined);
  assert.equal(readRtp(Buffer.alloc(12)), undefined);
});

test("packets that were changed make pictures or nothing", () => {
  const packets = packetsOf([SPS, PPS, unit(5, 3_000)], 0, 0);
  for (let seed = 1; seed < 1_500; seed += 1) {
    const changed = packets.map((packet, i) => {
      const bytes = Buffer.from(packet);
      bytes[(seed * 31 + i * 7) % Math.min(bytes.length, 20)] = (seed * 17) % 256;
      return bytes;
    });
    assemble(changed);
  }
});

test("the time of a picture is that of the server, in ticks of a 32-bit clock", () => {
  const at = 1_794_947_468_737;
  assert.equal(ticksOf(at), (at * 90) % 2 ** 32);
  assert.ok(ticksOf(at + 0.3) < 2 ** 32);
});
