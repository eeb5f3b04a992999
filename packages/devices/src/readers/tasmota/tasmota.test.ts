import assert from "node:assert/strict";
import { test } from "node:test";
import { startReader, testHostile } from "../reader-under-test.suite.ts";
import { createTasmotaReader } from "./tasmota.ts";

/** As Tasmota 12 publishes it. */
const CONFIG = {
  ...{
    ip: "192.168.1.20",
    dn: "Plug",
    fn: ["Plug", null],
    hn: "tasmota-A1",
    mac: "DC4F22A1B2C3",
    md: "Sonoff Basic",
    ty: 0,
  },
  ...{ ofln: "Offline", onln: "Online", state: ["OFF", "ON", "TOGGLE", "HOLD"], sw: "12.0.2", t: "tasmota_A1" },
  ...{ ft: "%prefix%/%topic%/", tp: ["cmnd", "stat", "tele"], rl: [1, 0, 0, 0], lt_st: 0, ver: 1 },
};
const DISCOVERY = "tasmota/discovery/DC4F22A1B2C3/config";

test("a plug is found, measures in SI units, and is reached when it says so", async () => {
  const { reader, say, heard, declared, sent } = startReader(createTasmotaReader);
  say(DISCOVERY, CONFIG);
  say("tele/tasmota_A1/LWT", "Online");
  say("tele/tasmota_A1/STATE", { POWER: "OFF" });
  say("tele/tasmota_A1/SENSOR", { Time: "x", AM2301: { Temperature: 68 }, ENERGY: { Total: 1.5 }, TempUnit: "F" });
  assert.deepEqual(heard(), [
    "DC4F22A1B2C3 is ready",
    'DC4F22A1B2C3/relay-1 {"on":false}',
    'DC4F22A1B2C3/sensors {"am2301_temperature_c":20,"energy_total_wh":1500}',
  ]);
  assert.deepEqual(
    declared.get("DC4F22A1B2C3")?.capabilities.map(({ id, kind }) => `${id} ${kind}`),
    ["sensors measurement", "relay-1 switch"],
  );
  const answer = reader.command("DC4F22A1B2C3", "relay-1", { id: "1", name: "on", params: {} });
  await new Promise(setImmediate);
  say("stat/tasmota_A1/RESULT", { POWER: "ON" });
  assert.equal((await answer).ok, true);
  assert.equal((await reader.stop("DC4F22A1B2C3")).ok, true);
  const off = reader.command("DC4F22A1B2C3", "relay-1", { id: "2", name: "off", params: {} });
  await new Promise(setImmediate);
  say("stat/tasmota_A1/RESULT", { POWER: "OFF" });
  assert.equal((await off).ok, true);
  assert.deepEqual(sent, ["cmnd/tasmota_A1/POWER=ON", "cmnd/tasmota_A1/POWER=OFF"]);
  heard();
  say("tele/tasmota_A1/LWT", "Offline");
  say(DISCOVERY, "");
  assert.deepEqual(heard(), ["DC4F22A1B2C3 is lost", "DC4F22A1B2C3 removed"]);
});

testHostile("tasmota", createTasmotaReader, [
  [DISCOVERY, JSON.stringify(CONFIG)],
  ["tele/tasmota_A1/SENSOR", '{"AM2301":{"Temperature":68}}'],
  ["tele/tasmota_A1/STATE", '{"POWER":"ON","Dimmer":5}'],
  ["stat/tasmota_A1/RESULT", '{"POWER":"ON"}'],
]);
