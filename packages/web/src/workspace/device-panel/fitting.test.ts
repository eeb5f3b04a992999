import assert from "node:assert/strict";
import { test } from "node:test";
import type { Capability, Device } from "@backplane/contract/devices";
import { chosenOf, fittingOf, nameOf, needsControl, panelsFor, simulatorsFor } from "./fitting.ts";

const capabilityOf = (id: string, kind: string, effect?: "moves" | "changes"): Capability => ({
  ...{ id, kind, fields: {} },
  commands: effect ? { go: { params: {}, effect } } : {},
});
const deviceOf = (id: string, state: Device["state"], second: number, ...capabilities: Capability[]): Device => ({
  ...{ id, name: id, source: "homie", state, alerts: [], isArmed: false, isMoving: false, capabilities },
  lastSeenAt: `2026-01-01T00:00:0${second}.000Z`,
});
const MOTOR = capabilityOf("motor", "motor", "moves");
const HEAT = capabilityOf("heat", "temperature");
const DEVICES = [
  deviceOf("old", "ready", 1, MOTOR),
  deviceOf("lost", "lost", 9, MOTOR),
  deviceOf("new", "ready", 5, MOTOR, HEAT),
  deviceOf("room", "ready", 3, HEAT),
];
const idsOf = (shows: string[]) =>
  fittingOf(DEVICES, shows).map(({ device, capability }) => `${device.id} ${capability.id}`);

test("a panel lists what it shows: connected first, the newest first", () => {
  assert.deepEqual(idsOf(["motor"]), ["new motor", "old motor", "lost motor"]);
  assert.deepEqual(idsOf(["*"]), ["new motor", "new heat", "room heat", "old motor", "lost motor"]);
  assert.deepEqual(idsOf([]), []);
});

test("what is chosen is found, or the first of the device that fits; what does not fit is not shown", () => {
  const chosen = (state: object, shows = ["*"]) => chosenOf(DEVICES, shows, { ...state })?.capability.id;
  assert.equal(chosen({ device: "new", capability: "heat" }), "heat");
  assert.equal(chosen({ device: "new", capability: "gone" }), "motor");
  assert.equal(chosen({ device: "room" }, ["motor"]), undefined);
  assert.equal(chosen({ device: "nobody" }), undefined);
  assert.equal(chosen({}), undefined);
});

test("a device is named with its capability only where there are two", () => {
  const all = fittingOf(DEVICES, ["*"]);
  assert.deepEqual(
    all.map((each) => nameOf(each, all)),
    ["new, motor", "new, heat", "room", "old", "lost"],
  );
});

const OF_DEVICE = { properties: { device: {} } };

test("what moves needs control, a lamp does not; panels and simulators are found by kind", () => {
  assert.deepEqual([MOTOR, HEAT, capabilityOf("lamp", "light", "changes")].map(needsControl), [true, false, false]);
  const panels = [
    { kind: "motor", shows: ["motor"], stateSchema: OF_DEVICE },
    { kind: "sensor", shows: ["*"], stateSchema: OF_DEVICE },
    { kind: "lessons", shows: ["*"], stateSchema: { properties: { path: {} } } },
    { kind: "editor", shows: [], stateSchema: {} },
  ];
  assert.deepEqual(
    panelsFor({ capabilities: [MOTOR] }, panels).map(({ kind }) => kind),
    ["motor", "sensor"],
  );
  const kinds = [{ kind: "hot", name: "", description: "", shows: ["temperature"] }];
  assert.deepEqual([simulatorsFor(kinds, ["temperature"]).length, simulatorsFor(kinds, ["motor"]).length], [1, 0]);
});
