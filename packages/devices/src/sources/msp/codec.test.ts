import assert from "node:assert/strict";
import { test } from "node:test";
import { codecLaws, pick, type Random } from "../codec-laws.suite.ts";
import { type MspMessage, mspAnswers, mspRequests } from "./codec.ts";

const hex = (text: string): Uint8Array => Buffer.from(text.replaceAll(" ", ""), "hex");
const bytes = (random: Random): number[] =>
  Array.from({ length: pick(random, [0, 1, 8, 16]) }, () => Math.floor(random() * 256));
const any = (random: Random): MspMessage =>
  random() < 0.5
    ? { code: Math.floor(random() * 255), payload: bytes(random) }
    : { code: Math.floor(random() * 65_536), payload: bytes(random), flag: 0 };

// github.com/iNavFlight/inav/wiki/MSP-V2: MSP_IDENT in both versions, and "Hello flying world" in both.
const HELLO = [...Buffer.from("Hello flying world")];
const NEW = "A5 42 42 12 00 48 65 6C 6C 6F 20 66 6C 79 69 6E 67 20 77 6F 72 6C 64 82";

codecLaws<MspMessage>("MSP requests", mspRequests, {
  examples: [
    { bytes: hex("24 4D 3C 00 64 64"), message: { code: 100, payload: [] } },
    { bytes: hex("24 58 3C 00 64 00 00 00 8F"), message: { code: 100, payload: [], flag: 0 } },
  ],
  any,
});

codecLaws<MspMessage>("MSP answers", mspAnswers, {
  examples: [
    { bytes: hex(`24 58 3E ${NEW}`), message: { code: 0x4242, payload: HELLO, flag: 0xa5 } },
    { bytes: hex(`24 4D 3E 18 FF ${NEW} E1`), message: { code: 255, payload: [...hex(NEW)] } },
    { bytes: hex("24 4D 21 00 8B 8B"), message: { code: 139, payload: [], isError: true } },
  ],
  any,
});

test("a question that comes back is not an answer, and a wrong checksum is left out", () => {
  const answers = mspAnswers.createReader();
  assert.deepEqual(answers.take(hex("24 4D 3C 00 64 64 24 4D 3E 00 64 65 24 4D 3E 00 64 64")), [
    { code: 100, payload: [] },
  ]);
});
