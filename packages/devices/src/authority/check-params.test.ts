import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@backplane/contract/panels";
import fc from "fast-check";
import { trials } from "../../../../scripts/testing/long.ts";
import { checkParams } from "./check-params.ts";

const VELOCITY: JsonObject = {
  type: "object",
  properties: { velocity_rad_s: { type: "number", minimum: -20, maximum: 20 } },
  required: ["velocity_rad_s"],
};
const codeOf = (schema: JsonObject, params: unknown) => checkParams(schema, params as JsonObject)?.code;
const one = (schema: JsonObject): JsonObject => ({ type: "object", properties: { x: schema } });

test("a value within its limits passes, also at the limits", () => {
  for (const velocity_rad_s of [-20, 0, 20]) assert.equal(checkParams(VELOCITY, { velocity_rad_s }), undefined);
});

test("a value outside is refused with field and limits, never clamped", () => {
  assert.deepEqual(checkParams(VELOCITY, { velocity_rad_s: 99 }), {
    ...{ code: "out-of-limits", field: "velocity_rad_s", limits: [-20, 20] },
    detail: "velocity_rad_s must be at least -20 and at most 20, not 99.",
  });
});

test("what is not a number is refused as such", () => {
  for (const velocity_rad_s of [Number.NaN, Number.POSITIVE_INFINITY, "5", true, [5], {}]) {
    assert.equal(codeOf(VELOCITY, { velocity_rad_s }), "not-a-number", String(velocity_rad_s));
  }
  assert.equal(codeOf(VELOCITY, {}), "not-a-number");
  assert.equal(codeOf(one({ type: "integer" }), { x: 1.5 }), "not-a-number");
});

test("a field that the command does not have is refused, and the known ones are named", () => {
  const fault = checkParams(VELOCITY, { velocity_rad_s: 1, speed: 2 });
  assert.equal(fault?.code, "unknown-field");
  assert.match(fault?.detail ?? "", /^speed is not known here; known are velocity_rad_s\.$/);
  assert.equal(codeOf({}, { x: 1 }), "unknown-field");
  assert.equal(codeOf({}, {}), undefined);
  assert.equal(codeOf(VELOCITY, JSON.parse('{"velocity_rad_s":1,"__proto__":{"x":1}}')), "unknown-field");
  assert.equal(codeOf(VELOCITY, { velocity_rad_s: 1, toString: 1 }), "unknown-field");
});

test("the workspace narrows the limits of the device and never widens them", () => {
  const limitsOf = (value: number, own: [number, number]) =>
    checkParams(VELOCITY, { velocity_rad_s: value }, { velocity_rad_s: own })?.limits;
  assert.deepEqual(limitsOf(6, [-5, 5]), [-5, 5]);
  assert.deepEqual(limitsOf(21, [-50, 50]), [-20, 20]);
  assert.equal(limitsOf(20, [-50, 50]), undefined);
});

test("limits with one end, and limits that are not reached themselves", () => {
  const above = checkParams(one({ type: "number", exclusiveMinimum: 0 }), { x: 0 });
  assert.deepEqual([above?.code, above?.limits], ["out-of-limits", undefined]);
  assert.equal(above?.detail, "x must be more than 0, not 0.");
  assert.equal(codeOf(one({ maximum: 3 }), { x: 4 }), "out-of-limits");
  assert.equal(codeOf(one({ type: "number", exclusiveMaximum: 3 }), { x: 2.9 }), undefined);
});

test("texts, choices, switches, lists and objects", () => {
  const rail = one({ enum: ["12v", "5v"] });
  assert.equal(codeOf(rail, { x: "5v" }), undefined);
  assert.equal(checkParams(rail, { x: "3v3" })?.detail, 'x must be one of "12v", "5v".');
  assert.equal(codeOf(one({ const: 3 }), { x: 4 }), "out-of-limits");
  assert.equal(codeOf(one({ type: "boolean" }), { x: 1 }), "out-of-limits");
  assert.equal(codeOf(one({ type: "string", maxLength: 2 }), { x: "abc" }), "out-of-limits");
  assert.equal(codeOf(one({ type: ["number", "null"] }), { x: null }), undefined);
  assert.equal(codeOf(one({ type: "number" }), { x: null }), "out-of-limits");
  const pose = one({ type: "array", minItems: 2, maxItems: 2, items: { type: "number", maximum: 9 } });
  assert.equal(codeOf(pose, { x: [1, 2] }), undefined);
  assert.equal(checkParams(pose, { x: [1, 10] })?.field, "x[1]");
  assert.deepEqual(checkParams(pose, { x: [1] })?.limits, [2, 2]);
  const nested = one({ type: "object", properties: { y: { type: "number", maximum: 1 } }, required: ["y"] });
  assert.equal(checkParams(nested, { x: { y: 2 } })?.field, "x.y");
  assert.equal(checkParams(nested, { x: { z: 2 } })?.field, "x.z");
  assert.equal(codeOf(nested, { x: [] }), "out-of-limits");
});

test("what cannot be checked is refused, and no pattern of a device ever runs", () => {
  for (const keyword of ["oneOf", "anyOf", "allOf", "not", "$ref", "if"]) {
    assert.equal(codeOf(one({ type: "number", [keyword]: [] }), { x: 1 }), "unsupported", keyword);
  }
  for (const schema of [null, true, "number", [], {}])
    assert.equal(codeOf(one(schema as never), { x: 1 }), "unsupported");
  assert.equal(codeOf(one({ type: "string", pattern: "^(a+)+$" }), { x: `${"a".repeat(60)}!` }), undefined);
  let deep: JsonObject = { type: "object", properties: {} };
  let value: JsonObject = {};
  for (let level = 0; level < 50; level += 1) [deep, value] = [one(deep), { x: value }];
  assert.equal(codeOf(deep, value), "unsupported");
});

test("no schema and no parameters make it throw, and no number outside of declared limits passes", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.jsonValue({ maxDepth: 5 }), (schema, params) => {
      const object = (value: unknown) =>
        (typeof value === "object" && value !== null ? value : { value }) as JsonObject;
      checkParams(object(schema), object(params));
    }),
    { numRuns: trials(2_000) },
  );
  fc.assert(
    fc.property(fc.double(), fc.double({ noNaN: true }), fc.double({ noNaN: true }), (x, minimum, maximum) => {
      const passes = checkParams(one({ type: "number", minimum, maximum }), { x }) === undefined;
      if (passes && Number.isFinite(minimum) && Number.isFinite(maximum)) assert.ok(x >= minimum && x <= maximum);
      if (passes) assert.ok(Number.isFinite(x));
    }),
    { numRuns: trials(2_000) },
  );
});
