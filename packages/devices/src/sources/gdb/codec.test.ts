import assert from "node:assert/strict";
import { test } from "node:test";
import { codecLaws, pick, type Random } from "../codec-laws.suite.ts";
import { type GdbMessage, gdbMessages, readHex } from "./codec.ts";

const packet = (data: string): GdbMessage => ({ type: "packet", data });
const anyByte = (random: Random) => String.fromCharCode(Math.floor(random() * 256));

// GDB manual, "Remote Protocol": Overview, Packets, Notification Packets; Embecosm, "Howto: GDB Remote Serial Protocol".
codecLaws<GdbMessage>("GDB messages", gdbMessages, {
  examples: [
    { bytes: "+", message: { type: "received" } },
    { bytes: "-", message: { type: "again" } },
    { bytes: "\x03", message: { type: "break" } },
    { bytes: "$qSupported#37", message: packet("qSupported") },
    { bytes: "$?#3f", message: packet("?") },
    { bytes: "$g#67", message: packet("g") },
    { bytes: "$c#63", message: packet("c") },
    { bytes: "$OK#9a", message: packet("OK") },
    { bytes: "$E01#a6", message: packet("E01") },
    { bytes: "$S05#b8", message: packet("S05") },
    { bytes: "$#00", message: packet("") },
    { bytes: "$QStartNoAckMode#b0", message: packet("QStartNoAckMode") },
    { bytes: "$vCont?#49", message: packet("vCont?") },
    // Four zeros, by run-length encoding.
    { bytes: "$0* #7a", message: packet("0000"), isReadOnly: true },
    { bytes: "$}]}\x03#5a", message: packet("}#") },
    { bytes: "%Stop:T05#99", message: { type: "notification", data: "Stop:T05" } },
  ],
  any: (random) =>
    pick<() => GdbMessage>(random, [
      () => ({ type: "received" }),
      () => packet(`m${Math.floor(random() * 2 ** 32).toString(16)},4`),
      () => packet(Array.from({ length: Math.floor(random() * 40) }, () => anyByte(random)).join("")),
      () => ({ type: "notification", data: "Stop:T05" }),
    ])(),
});

test("a packet with a wrong checksum, a run without a character and a run that never ends are left out", () => {
  const reader = gdbMessages.createReader();
  assert.deepEqual(reader.take(Buffer.from("$OK#9b$* #4a$0*\u0010#6a$c#63")), [packet("c")]);
  assert.equal(reader.refused, 3);
  assert.deepEqual(readHex("20c0FF"), Buffer.from([0x20, 0xc0, 0xff]));
  for (const text of ["E01", "2", "xx", undefined]) assert.equal(readHex(text), undefined);
});
