import assert from "node:assert/strict";
import { test } from "node:test";
import { type JsonObject, PANELS_LIMITS } from "@backplane/contract/panels";
import { Problem } from "@backplane/kit/problems";
import { expectStateSize, mergeState } from "./panel-state.ts";

const nested = (depth: number): JsonObject =>
  JSON.parse(`{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`) as JsonObject;

const isRefusal = (pointer: string) => (error: unknown) =>
  error instanceof Problem && error.status === 422 && error.errors?.[0]?.pointer === pointer;

test("a state that is nested too deeply to be serialised is 422, not an internal error", () => {
  const { maxStateDepth, maxStateBytes } = PANELS_LIMITS;
  assert.deepEqual(expectStateSize(nested(maxStateDepth - 1), "/initialState"), nested(maxStateDepth - 1));
  for (const depth of [maxStateDepth + 1, maxStateBytes / 2 - 8]) {
    assert.throws(() => expectStateSize(nested(depth), "/initialState"), isRefusal("/initialState"));
    assert.throws(() => mergeState(nested(1), nested(depth)), isRefusal("/panelState"));
  }
});

test("keys that every object inherits are ordinary keys", () => {
  const patch = JSON.parse('{"__proto__":{"a":1},"constructor":2}') as JsonObject;
  const merged = mergeState({ b: 3 }, patch);
  assert.equal(JSON.stringify(merged), '{"b":3,"__proto__":{"a":1},"constructor":2}');
  assert.equal(Object.getPrototypeOf(merged), Object.prototype);
  assert.equal(mergeState(merged, patch), merged);
});
