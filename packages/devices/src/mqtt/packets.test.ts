import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import mqttPacket from "mqtt-packet";
import { createPacketGuard, publishPacket, readHeader } from "./packets.ts";

test("the length of a packet is read as the specification's table says (MQTT 3.1.1, table 2.4)", () => {
  const lengths: [number[], number][] = [
    [[0x00], 0],
    [[0x7f], 127],
    [[0x80, 0x01], 128],
    [[0xff, 0x7f], 16_383],
    [[0x80, 0x80, 0x01], 16_384],
    [[0xff, 0xff, 0x7f], 2_097_151],
    [[0x80, 0x80, 0x80, 0x01], 2_097_152],
    [[0xff, 0xff, 0xff, 0x7f], 268_435_455],
  ];
  for (const [bytes, bodyBytes] of lengths) {
    const packet = Uint8Array.from([0x30, ...bytes]);
    assert.deepEqual(readHeader(packet), { headerBytes: packet.length, bodyBytes });
    for (let cut = 0; cut < packet.length; cut += 1) assert.equal(readHeader(packet.subarray(0, cut)), undefined);
  }
  assert.equal(readHeader(Uint8Array.from([0x30, 0xff, 0xff, 0xff, 0xff])), "malformed");
});

test("packets of any sizes pass however they are cut, until the first that is too large", () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 20 });
  const cuts = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(sizes, cuts, (payloads, pieces) => {
      const packets = payloads.map((size) =>
        mqttPacket.generate({
          ...{ cmd: "publish", topic: "t", payload: Buffer.alloc(size), qos: 0, retain: false, dup: false },
        }),
      );
      const wire = Buffer.concat(packets);
      const largest = Math.max(...packets.map((packet) => packet.length));
      for (const [limit, expected] of [
        [largest, true],
        [largest - 1, false],
      ] as const) {
        const guard = createPacketGuard(limit);
        let passes = true;
        for (let at = 0, turn = 0; at < wire.length && passes; turn += 1) {
          const size = pieces[turn % pieces.length] as number;
          passes = guard(wire.subarray(at, at + size));
          at += size;
        }
        assert.equal(passes, expected);
      }
    }),
    { numRuns: 50 },
  );
});

test("a message is what another encoder makes of it, whatever its length and characters", () => {
  const lengths = fc.constantFrom(0, 1, 100, 127, 128, 16_383, 16_384, 70_000);
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", minLength: 1 }),
      lengths,
      fc.constantFrom(0 as const, 1 as const),
      fc.integer({ min: 1, max: 65_535 }),
      (topic, length, qos, messageId) => {
        const payload = "é".repeat(length);
        const theirs = mqttPacket.generate({
          ...{ cmd: "publish", topic, payload, qos, retain: false, dup: false },
          ...(qos === 1 ? { messageId } : {}),
        });
        assert.deepEqual(publishPacket(topic, payload, qos, messageId), theirs);
      },
    ),
    { numRuns: 100 },
  );
});
