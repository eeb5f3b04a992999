import assert from "node:assert/strict";
import { test } from "node:test";
import { FormulaFault, parseFormula } from "./formula.ts";

const FIELDS = { voltage_v: 24, current_a: 2.5, count: 3, none: Number.NaN };
const UNITS: Record<string, string> = { voltage_v: "V", current_a: "A", time_s: "s" };
const KNOWN = [...Object.keys(FIELDS), "time_s"];
const fieldValue = (field: string) => FIELDS[field as keyof typeof FIELDS] ?? 0;
const run = (text: string) => parseFormula(text, KNOWN).evaluate(fieldValue);
const unit = (text: string) => parseFormula(text, KNOWN).unit((field) => UNITS[field] ?? "");

test("formulas follow the usual order of operations", () => {
  assert.equal(run("= voltage_v * current_a"), 60);
  assert.equal(run("1 + 2 * 3"), 7);
  assert.equal(run("(1 + 2) * 3"), 9);
  assert.equal(run("2 ^ 3 ^ 2"), 512);
  assert.equal(run("-2 ^ 2"), -4);
  assert.equal(run("10 - 4 - 3"), 3);
  assert.equal(run("2e3 / .5"), 4_000);
  assert.equal(run("max(count, 4) + abs(-1) + hypot(3, 4)"), 10);
  assert.equal(run("sin(pi / 2)"), 1);
});

test("what has no value has none: a missing field, a division by zero, a root of less than nothing", () => {
  for (const text of ["none + 1", "1 / 0", "sqrt(-1)", "ln(0)"]) assert.ok(Number.isNaN(run(text)), text);
});

test("units follow from the fields", () => {
  assert.equal(unit("voltage_v * current_a"), "W");
  assert.equal(unit("voltage_v / current_a"), "Ω");
  assert.equal(unit("voltage_v * 2 + 1"), "V");
  assert.equal(unit("current_a ^ 2"), "A²");
  assert.equal(unit("voltage_v / time_s"), "V/s");
  assert.equal(unit("abs(voltage_v)"), "V");
  assert.equal(unit("sin(voltage_v)"), "");
});

test("a formula that is wrong says what is wrong", () => {
  const fault = (text: string, words: RegExp) =>
    assert.throws(
      () => parseFormula(text, KNOWN),
      (error) => error instanceof FormulaFault && words.test(error.message),
    );
  fault("=", /Write a formula/);
  fault("1 +", /ends too early/);
  fault("1 2", /"2" does not belong/);
  fault("power_w * 2", /"power_w" is not measured/);
  fault("(1 + 2", /"\)" missing at the end/);
  fault("sqrt(1, 2)", /sqrt takes 1 value/);
  fault("1 ; 2", /";" is not part/);
  fault("* 2", /nothing before it/);
});

test("a formula never reaches anything but fields, functions and numbers", () => {
  for (const text of [
    ...["constructor", "constructor(1)", "__proto__", "toString()", "globalThis", "valueOf", "hasOwnProperty(1)"],
    ...["a=>a", "voltage_v.constructor", "voltage_v['x']", "`1`", "1;alert(1)", '"text"', "{}", "[1]"],
    ...["(".repeat(100) + ")".repeat(100), "-".repeat(150), "1".repeat(300)],
  ])
    assert.throws(() => parseFormula(text, KNOWN), FormulaFault, text);
});
