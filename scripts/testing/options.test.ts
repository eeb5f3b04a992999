import assert from "node:assert/strict";
import test from "node:test";
import { parseOptions } from "./options.ts";

test("without arguments everything runs", () => {
  assert.deepEqual(parseOptions([]), {
    checks: true,
    phases: ["unit", "conformance", "examples", "e2e"],
    filters: [],
    long: false,
    everyTime: false,
  });
});

test("--check is the part that needs no service", () => {
  assert.deepEqual(parseOptions(["--check"]), {
    checks: true,
    phases: ["unit"],
    filters: [],
    long: false,
    everyTime: false,
  });
});

test("a person in a hurry names a phase or a path and gets no static checks", () => {
  assert.deepEqual(parseOptions(["--only", "e2e"]), {
    checks: false,
    phases: ["e2e"],
    filters: [],
    long: false,
    everyTime: false,
  });
  assert.deepEqual(parseOptions(["packages/kit"]).filters, ["packages/kit"]);
  assert.equal(parseOptions(["packages/kit"]).checks, false);
});

test("a phase nobody knows is refused with the known ones", () => {
  assert.throws(() => parseOptions(["--only", "slow"]), /one of unit, conformance, examples, e2e/);
});
