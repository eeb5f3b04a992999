import assert from "node:assert/strict";
import { test } from "node:test";
import { codecLaws, pick, type Random } from "../codec-laws.suite.ts";
import { type MavMessage, mavlinkMessages } from "./codec.ts";
import { type MessageName, messageNamed } from "./messages.ts";

const NAMES = [
  "HEARTBEAT",
  "SYS_STATUS",
  "GPS_RAW_INT",
  "ATTITUDE",
  "COMMAND_LONG",
  "COMMAND_ACK",
  "TIMESYNC",
  "BATTERY_STATUS",
  "STATUSTEXT",
] as const;

const heartbeat = (from: Partial<MavMessage>, fields: object): MavMessage => ({
  ...{ name: "HEARTBEAT", system: 1, component: 1, sequence: 0, ...from },
  fields: { custom_mode: 0, type: 2, autopilot: 3, base_mode: 0x51, system_status: 4, mavlink_version: 3, ...fields },
});

function anyMessage(random: Random): MavMessage {
  const name = pick(random, NAMES);
  const number = (type: string) => {
    if (type === "f32") return Math.fround(random() * 100 - 50);
    const top = { 1: 0x7f, 2: 0x7fff }[Number(type.slice(1)) / 8] ?? 0x7fff_ffff;
    return Math.floor(random() * top) * (type.startsWith("i") && random() < 0.5 ? -1 : 1) + 0;
  };
  const fields = messageNamed(name).fields.map(({ name: field, type, count }) => {
    if (type === "char") return [field, pick(random, ["", "PreArm: Need 3D Fix", "x".repeat(count ?? 1)])] as const;
    return [field, count === undefined ? number(type) : Array.from({ length: count }, () => number(type))] as const;
  });
  const byte = () => Math.floor(random() * 256);
  return { name, system: byte(), component: byte(), sequence: byte(), fields: Object.fromEntries(fields) };
}

// mavlink.io/en/guide/serialization.html; heartbeats as flight controllers with ArduPilot send them.
codecLaws<MavMessage>("MAVLink messages", mavlinkMessages, {
  examples: [
    {
      bytes: Buffer.from("fe094e0101000000000002035104031c7f", "hex"),
      message: heartbeat({ sequence: 0x4e }, {}),
      isReadOnly: true,
    },
    {
      bytes: Buffer.from("fd090000ef0101000000000000000203510303" + "7389", "hex"),
      message: heartbeat({ sequence: 0xef }, { system_status: 3 }),
    },
    {
      bytes: Buffer.from("fd090000072a9600000044000000" + "05032d0d027efd", "hex"),
      message: heartbeat(
        { sequence: 7, system: 42, component: 150 },
        { custom_mode: 0x44, type: 5, base_mode: 0x2d, system_status: 0x0d, mavlink_version: 2 },
      ),
    },
  ],
  any: anyMessage,
});

test("the fields of every message are those of the published definitions, by their checksums", () => {
  const published: Partial<Record<MessageName, number>> = {
    ...{ HEARTBEAT: 50, SYS_STATUS: 124, PARAM_REQUEST_READ: 214, PARAM_VALUE: 220, GPS_RAW_INT: 24, ATTITUDE: 39 },
    ...{ GLOBAL_POSITION_INT: 104, COMMAND_INT: 158, COMMAND_LONG: 152, COMMAND_ACK: 143, TIMESYNC: 34 },
    ...{
      SET_POSITION_TARGET_LOCAL_NED: 143,
      BATTERY_STATUS: 154,
      HOME_POSITION: 104,
      EXTENDED_SYS_STATE: 130,
      STATUSTEXT: 83,
    },
  };
  for (const [name, extra] of Object.entries(published))
    assert.equal(messageNamed(name as MessageName).extra, extra, name);
});

test("zeros at the end are not sent; a wrong checksum, unknown flags and messages are left out; a signature is passed over", () => {
  const ack: MavMessage = {
    name: "COMMAND_ACK",
    system: 1,
    component: 1,
    sequence: 0,
    fields: { command: 400, result: 0 },
  };
  const bytes = Buffer.from(mavlinkMessages.write(ack));
  assert.equal(bytes[1], 2);
  const reader = mavlinkMessages.createReader();
  const wrong = Buffer.from(bytes);
  wrong[10] = 0;
  assert.deepEqual(reader.take(wrong), []);
  assert.equal(reader.take(bytes)[0]?.fields.command, 400);
  assert.deepEqual(reader.take(Buffer.from("fd0100000001010fff000000" + "00", "hex")), [], "an unknown message");
  assert.deepEqual(reader.take(Buffer.from("fd01020000010100000000", "hex")), [], "an unknown flag");
  assert.equal(reader.take(bytes).length, 1);
});
