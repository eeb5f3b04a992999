import assert from "node:assert/strict";
import { test } from "node:test";
import { readNetClasses } from "./net-classes.ts";

const PROJECT = JSON.stringify({
  net_settings: {
    classes: [
      { name: "Default", track_width: 0.2, clearance: 0.15 },
      { name: "Power", track_width: 0.8, clearance: 0.3, nets: ["/OLD"] },
      { name: "Fast", track_width: 0.1 },
    ],
    netclass_assignments: { GND: "Power", VBUS: ["Power", "Fast"] },
    netclass_patterns: [
      { netclass: "Fast", pattern: "/USB_D?" },
      { netclass: "Power", pattern: "*V*" },
    ],
  },
});

test("a net has the class of its flag, its assignment, its pattern, or the default one, in this order", () => {
  const classOf = readNetClasses(PROJECT);
  const nameOf = (name: string, ...classes: string[]) => classOf({ name, classes }).name;
  assert.equal(nameOf("GND", "Fast"), "Fast");
  assert.equal(nameOf("GND"), "Power");
  assert.equal(nameOf("VBUS"), "Power");
  assert.equal(nameOf("/OLD"), "Power");
  assert.equal(nameOf("/USB_D+"), "Fast");
  assert.equal(nameOf("/USB_DX1"), "Default");
  assert.equal(nameOf("+3V3"), "Power");
  assert.equal(nameOf("/LED"), "Default");
  assert.deepEqual(classOf({ name: "+5V", classes: [] }), { name: "Power", trackWidthMm: 0.8, clearanceMm: 0.3 });
});

test("without a project file, or with one that is not one, the flags still count", () => {
  for (const project of [
    undefined,
    "",
    "{",
    "[]",
    '{"net_settings": {"classes": 5, "netclass_patterns": [null, 3]}}',
  ]) {
    const classOf = readNetClasses(project);
    assert.equal(classOf({ name: "A", classes: ["Flagged"] }).name, "Flagged");
    assert.equal(classOf({ name: "A", classes: [] }).name, "Default");
  }
});

test("a pattern of many stars is compared in time", () => {
  const pattern = `${"*a".repeat(200)}b`;
  const project = JSON.stringify({ net_settings: { netclass_patterns: [{ netclass: "X", pattern }] } });
  assert.equal(readNetClasses(project)({ name: "a".repeat(2_000), classes: [] }).name, "Default");
});
