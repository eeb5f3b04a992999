import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonData, JsonObject } from "./common.ts";
import { MAX_STATE_FAULTS, stateFaults, stateSchemaFaults } from "./state-schema.ts";

const SCHEMA: JsonObject = {
  type: "object",
  properties: {
    field: { type: "string", maxLength: 5 },
    zoom: { type: "number", minimum: 1, maximum: 8 },
    mode: { type: "string", enum: ["line", "bar"] },
    marks: { type: "array", maxItems: 2, items: { type: "integer" } },
  },
  required: ["field"],
  additionalProperties: false,
};
const at = (state: JsonData) => stateFaults(SCHEMA, state).map(({ pointer, message }) => `${pointer} ${message}`);

test("a state that fits has no faults; of another each fault names its field", () => {
  assert.deepEqual(stateSchemaFaults(SCHEMA), []);
  assert.deepEqual(at({ field: "a", zoom: 8, mode: "bar", marks: [1, 2] }), []);
  assert.deepEqual(at({ zoom: 9, mode: "pie", marks: [1.5], other: 1 }), [
    "/field is missing",
    "/zoom must be at most 8",
    '/mode must be one of ["line","bar"]',
    "/marks/0 must be an integer",
    "/other is not part of this panel's state",
  ]);
  assert.deepEqual(at({ field: "longer", marks: [1, 2, 3], zoom: 0 }), [
    "/field must have at most 5 characters",
    "/marks must have at most 2 entries",
    "/zoom must be at least 1",
  ]);
  assert.deepEqual(at([]), [" must be an object"]);
  assert.deepEqual(stateFaults({ type: "object", properties: {} }, { constructor: 1, toString: 2 }), []);
});

test("a schema has no patterns, references or alternatives, and is not deep", () => {
  const faults = (schema: unknown) => stateSchemaFaults(schema).map(({ pointer }) => pointer);
  assert.deepEqual(faults({ type: "object", properties: { a: { type: "string", pattern: "(a+)+$" } } }), [
    "/properties/a/pattern",
  ]);
  assert.deepEqual(faults({ type: "object", $ref: "#", anyOf: [] }), ["/$ref", "/anyOf"]);
  assert.deepEqual(faults({ type: "array" }), ["/type"]);
  assert.deepEqual(faults({ type: "object", required: "a", additionalProperties: {}, properties: [] }), [
    ...["/required", "/additionalProperties", "/properties"],
  ]);
  assert.deepEqual(faults([]), [""]);
  let deep: JsonObject = { type: "object" };
  for (let level = 0; level < 9; level += 1) deep = { type: "object", properties: { a: deep } };
  assert.equal(faults(deep).length, 1);
});

test("a schema that finds a fault in every part of a state names some of them", () => {
  const names = Array.from({ length: 100 }, (_, i) => `k${i}`);
  const schema = { type: "object", properties: { a: { type: "array", items: { type: "object", required: names } } } };
  assert.deepEqual(stateSchemaFaults(schema), []);
  const state = { a: Array.from({ length: 10_000 }, () => ({})) };
  assert.equal(stateFaults(schema, state).length, MAX_STATE_FAULTS);
  for (const key of ["required", "enum"])
    assert.deepEqual(
      stateSchemaFaults({ type: "object", [key]: Array(101).fill("a") }).map(({ pointer }) => pointer),
      [`/${key}`],
    );
});
