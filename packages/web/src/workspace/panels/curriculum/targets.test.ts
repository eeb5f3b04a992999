import assert from "node:assert/strict";
import { test } from "node:test";
import type { Device } from "@backplane/contract/devices";
import type { LessonStep, ValueCheck } from "@backplane/contract/panels";
import { afterOf, currentOf, targetsOf } from "./targets.ts";

const deviceOf = (id: string, capability: string, kind: string, field: string) =>
  ({ id, capabilities: [{ id: capability, kind, fields: { [field]: {} }, commands: {} }] }) as unknown as Device;
const CHECK: ValueCheck = {
  ...{ type: "value", device: null, capability: "motor", field: "velocity_rad_s" },
  ...{ compare: { is: ">", than: 1 }, holdMs: 0 },
};

test("a check looks at any device with such a capability, by id or kind, that has the field; or at the one it names", () => {
  const devices = [
    deviceOf("a", "left", "motor", "velocity_rad_s"),
    deviceOf("b", "motor", "other", "velocity_rad_s"),
    deviceOf("c", "motor", "motor", "position_rad"),
    deviceOf("d", "led", "led", "velocity_rad_s"),
  ];
  const ids = (check: ValueCheck) => targetsOf(devices, check).map(({ device }) => device.id);
  assert.deepEqual(ids(CHECK), ["a", "b"]);
  assert.deepEqual(ids({ ...CHECK, device: "b" }), ["b"]);
  assert.deepEqual(ids({ ...CHECK, field: "constructor" }), []);
});

test("steps to read are passed over; values count after the step before", () => {
  const stepOf = (id: string, check: ValueCheck | null, atMs?: number) =>
    ({ id, check, done: atMs === undefined ? null : { atMs } }) as LessonStep;
  const steps = [stepOf("a", CHECK, 5), stepOf("read", null), stepOf("b", CHECK), stepOf("c", CHECK)];
  const current = currentOf(steps);
  assert.equal(current?.id, "b");
  assert.equal(current && afterOf(steps, current), 5);
  assert.equal(afterOf(steps, steps[0] as LessonStep), Number.NEGATIVE_INFINITY);
  assert.equal(currentOf([stepOf("a", CHECK, 5), stepOf("read", null)]), undefined);
});
