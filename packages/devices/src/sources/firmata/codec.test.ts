import assert from "node:assert/strict";
import { test } from "node:test";
import { codecLaws, pick, type Random } from "../codec-laws.suite.ts";
import { type FirmataReport, type FirmataRequest, firmataReports, firmataRequests } from "./codec.ts";

const hex = (text: string): Uint8Array => Buffer.from(text.replaceAll(" ", ""), "hex");
const upTo = (random: Random, most: number): number => Math.floor(random() * (most + 1));

// github.com/firmata/protocol, protocol.md, 2.5.1: the tables of each message.
codecLaws<FirmataRequest>("Firmata requests", firmataRequests, {
  examples: [
    { bytes: hex("F9"), message: { type: "version?" } },
    { bytes: hex("FF"), message: { type: "reset" } },
    { bytes: hex("F0 79 F7"), message: { type: "firmware?" } },
    { bytes: hex("F0 6B F7"), message: { type: "capabilities?" } },
    { bytes: hex("F0 69 F7"), message: { type: "channels?" } },
    { bytes: hex("F0 6D 0D F7"), message: { type: "state?", pin: 13 } },
    { bytes: hex("F4 0D 01"), message: { type: "mode", pin: 13, mode: 1 } },
    { bytes: hex("F5 0D 01"), message: { type: "write", pin: 13, value: 1 } },
    { bytes: hex("E3 7F 01"), message: { type: "analog", pin: 3, value: 255 } },
    { bytes: hex("91 20 00"), message: { type: "digital", port: 1, value: 0x20 } },
    { bytes: hex("F0 6F 12 7F 01 F7"), message: { type: "long-analog", pin: 18, value: 255 } },
    { bytes: hex("C0 01"), message: { type: "report-analog", channel: 0, isOn: true } },
    { bytes: hex("D1 01"), message: { type: "report-digital", port: 1, isOn: true } },
    { bytes: hex("F0 7A 13 00 F7"), message: { type: "interval", ms: 19 } },
  ],
  any(random) {
    const pin = upTo(random, 127);
    const value = upTo(random, 16_383);
    return pick<FirmataRequest>(random, [
      { type: "capabilities?" },
      { type: "state?", pin },
      { type: "mode", pin, mode: upTo(random, 11) },
      { type: "write", pin, value: upTo(random, 1) },
      { type: "analog", pin: pin & 15, value },
      { type: "long-analog", pin, value },
      { type: "report-digital", port: pin & 15, isOn: random() < 0.5 },
      { type: "interval", ms: value },
    ]);
  },
});

codecLaws<FirmataReport>("Firmata reports", firmataReports, {
  examples: [
    { bytes: hex("F9 02 05"), message: { type: "version", major: 2, minor: 5 } },
    {
      bytes: hex("F0 79 02 05 53 00 74 00 64 00 F7"),
      message: { type: "firmware", major: 2, minor: 5, name: "Std" },
    },
    {
      bytes: hex("F0 6C 7F 00 01 01 01 03 08 7F 00 01 02 0A 7F F7"),
      message: {
        type: "capabilities",
        pins: [
          [],
          [
            { mode: 0, bits: 1 },
            { mode: 1, bits: 1 },
            { mode: 3, bits: 8 },
          ],
          [
            { mode: 0, bits: 1 },
            { mode: 2, bits: 10 },
          ],
        ],
      },
    },
    { bytes: hex("F0 6A 7F 7F 00 01 F7"), message: { type: "channels", channels: [127, 127, 0, 1] } },
    { bytes: hex("F0 6E 0D 01 01 F7"), message: { type: "state", pin: 13, mode: 1, state: 1 } },
    { bytes: hex("F0 6E 03 03 7F 01 F7"), message: { type: "state", pin: 3, mode: 3, state: 255 } },
    { bytes: hex("92 7F 01"), message: { type: "digital", port: 2, value: 0xff } },
    { bytes: hex("E0 7F 07"), message: { type: "analog", channel: 0, value: 1_023 } },
    { bytes: hex("F0 71 48 00 69 00 F7"), message: { type: "text", text: "Hi" } },
  ],
  any(random) {
    const value = upTo(random, 16_383);
    return pick<FirmataReport>(random, [
      { type: "version", major: 2, minor: upTo(random, 127) },
      { type: "firmware", major: 2, minor: 5, name: pick(random, ["StandardFirmata", "ä"]) },
      { type: "state", pin: upTo(random, 127), mode: 3, state: value },
      { type: "digital", port: upTo(random, 15), value },
      { type: "analog", channel: upTo(random, 15), value },
      { type: "channels", channels: [127, upTo(random, 15)] },
    ]);
  },
});

test("a command in the middle of another one ends it, and what is not complete is not a message", () => {
  const reports = firmataReports.createReader();
  assert.deepEqual(reports.take(hex("F0 6E 0D F9 02 05 90 7F E0 7F 07 F0 F7")), [
    { type: "version", major: 2, minor: 5 },
    { type: "analog", channel: 0, value: 1_023 },
  ]);
  assert.deepEqual(reports.take(hex("F0 6C 00 01 01 F7 F0 6C 00 7F 7F F7")), [], "a mode without its resolution");
});
