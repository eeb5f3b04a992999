import assert from "node:assert/strict";
import { test } from "node:test";
import { startReader, testHostile } from "../reader-under-test.suite.ts";
import { createDecawaveReader } from "./decawave.ts";

// As the gateway of the DWM1001 publishes them: "DWM1001 Gateway MQTT API".
const ANCHOR = {
  configuration: {
    ...{ label: "DW0E0A", nodeType: "ANCHOR", ble: true, leds: true, uwbFirmwareUpdate: false },
    anchor: { initiator: true, position: { x: 0, y: 4.2, z: 2.1, quality: 100 }, routingConfig: "ROUTING_CFG_OFF" },
  },
};
const TAG = {
  configuration: {
    ...{ label: "DW8428", nodeType: "TAG", ble: true, leds: true, uwbFirmwareUpdate: false },
    tag: {
      ...{
        stationaryDetection: true,
        responsive: true,
        locationEngine: true,
        nomUpdateRate: 100,
        statUpdateRate: 1_000,
      },
    },
  },
};
const at = (x: number | string, y: number | string, quality = 69) => ({
  position: { x, y, z: typeof x === "string" ? "NaN" : 0.3, quality },
  superFrameNumber: 214,
});

test("a tag is a device, with where it is and where its anchors are", () => {
  const { say, heard, declared } = startReader(createDecawaveReader);
  say("dwm/node/0e0a/uplink/config", ANCHOR, true);
  say("dwm/node/8428/uplink/config", TAG, true);
  say("dwm/node/8428/uplink/location", at(1.393, 0.5));
  say("dwm/node/8428/uplink/location", at(1.4, 0.5));
  assert.deepEqual([...declared.keys()], ["dwm-8428"]);
  assert.equal(declared.get("dwm-8428")?.name, "DW8428");
  assert.equal(declared.get("dwm-8428")?.capabilities[0]?.kind, "ultra-wideband");
  assert.deepEqual(heard(), [
    "dwm-8428 is ready",
    'dwm-8428/position {"x_m":1.393,"y_m":0.5,"z_m":0.3,"quality":69,"anchors":[{"id":"DW0E0A","x_m":0,"y_m":4.2,"z_m":2.1}]}',
    'dwm-8428/position {"x_m":1.4,"y_m":0.5,"z_m":0.3,"quality":69}',
  ]);
});

test("a place that the network does not know is not known, never 0, 0", () => {
  const { say, heard } = startReader(createDecawaveReader);
  say("dwm/node/8428/uplink/location", at("NaN", "NaN", 0));
  assert.equal(heard().at(-1), 'dwm-8428/position {"x_m":null,"y_m":null,"z_m":null,"quality":null}');
});

test("a node that is not present is lost; what was retained is what was", () => {
  const { say, heard } = startReader(createDecawaveReader);
  say("dwm/node/8428/uplink/location", at(1, 2), true);
  say("dwm/node/8428/uplink/status", { present: false });
  say("dwm/node/8428/uplink/status", { present: true });
  assert.deepEqual(heard(), [
    "dwm-8428 is ready",
    'dwm-8428/position was {"x_m":1,"y_m":2,"z_m":0.3,"quality":69}',
    "dwm-8428 is lost",
    "dwm-8428 is ready",
  ]);
});

test("an anchor is no device, and one that moved is said again", () => {
  const { say, heard, declared, reader } = startReader(createDecawaveReader);
  say("dwm/node/0e0a/uplink/config", ANCHOR);
  say("dwm/node/0e0a/uplink/location", at(0, 4.2));
  assert.equal(declared.size, 0);
  say("dwm/node/8428/uplink/location", at(1, 2));
  say("dwm/node/8428/uplink/location", at(1, 2));
  const moved = { ...ANCHOR.configuration.anchor, position: { x: 9, y: 4.2, z: 2.1, quality: 100 } };
  say("dwm/node/0e0a/uplink/config", { configuration: { ...ANCHOR.configuration, anchor: moved } });
  heard();
  say("dwm/node/8428/uplink/location", at(1, 2));
  assert.match(heard().at(-1) ?? "", /"x_m":9/);
  assert.equal(say("dwm/gateway/1/uplink/status", "{}"), false);
  assert.equal(reader.filters?.length, 3);
});

testHostile("decawave", createDecawaveReader, [
  ["dwm/node/0e0a/uplink/config", JSON.stringify(ANCHOR)],
  ["dwm/node/8428/uplink/config", JSON.stringify(TAG)],
  ["dwm/node/8428/uplink/location", JSON.stringify(at(1.4, 0.5))],
  ["dwm/node/8428/uplink/status", '{"present":true}'],
]);
