import assert from "node:assert/strict";
import { test } from "node:test";
import { createContext, runInContext } from "node:vm";
import { GUARD_NAME } from "@backplane/contract/panels";
import { guardCode } from "./guard-code.ts";

/** Runs guarded code with a guard that lets this many calls pass. */
function run(code: string, calls: number): unknown {
  const guarded = guardCode(code, "script");
  assert.ok(guarded !== undefined, code);
  assert.equal(guarded.split("\n").length, code.split("\n").length, "lines stay where they are");
  let left = calls;
  const guard = () => {
    left -= 1;
    if (left < 0) throw new RangeError("guarded");
  };
  return runInContext(guarded, createContext({ [GUARD_NAME]: guard }));
}

test("code that goes on forever is stopped", () => {
  for (const code of [
    "while (true);",
    "for (;;) {}",
    "do 1; while (true)",
    "for (const x of (function* () { for (let n = 0; ; n += 1) yield n })()) x",
    "label: for (;;) { for (;;) continue label }",
    "for (;;) try { for (;;); } catch {}",
    "(function again() { try { again() } catch { again() } })()",
    "const again = () => again(); again()",
    "const again = () => (() => again())(); again()",
    "({ get x() { return this.x } }).x",
    "class A { constructor() { new A() } } new A()",
    "if (1) for (;;) 2; else 3",
    "while (1) f = () => 1",
  ]) {
    assert.throws(() => run(code, 50), /guarded|call stack/, code);
  }
});

test("other code does what it did", () => {
  for (const [code, expected] of [
    ["let sum = 0; for (const n of [1, 2, 3]) sum += n; sum", 6],
    ["[3, 1, 2].sort((a, b) => a - b).join()", "1,2,3"],
    ["const make = (a) => ({ a }); make(4).a", 4],
    ["const add = (a) => (b) => a + b, twice = (f) => (x) => f(f(x)); twice(add(2))(3)", 7],
    ["const f = function () { 'use strict'\n return this }; f() === undefined", true],
    ["function g() { 'use strict'; 'and more'; return this } g() === undefined", true],
    ["class A { n = 5 } class B extends A { constructor() { super(); this.m = 1 } } new B().n", 5],
    ["let n = 0; do n += 1; while (n < 5)\nn", 5],
    ["let m = 0; out: for (;;) { for (;;) { m += 1; if (m > 3) break out } } m", 4],
    ["let q = 1; if (!q) for (;;) q; else q = 9; q", 9],
    ["const h = (x = () => 2) => x(); h()", 2],
  ] as const) {
    assert.equal(run(code, 1_000), expected, code);
  }
});

test("a module keeps its imports and exports", () => {
  const source = 'import x from "data:text/javascript,";\nexport default () => x; await 1';
  const guarded = `import x from "data:text/javascript,";\nexport default () => (${GUARD_NAME}(),x); await 1`;
  assert.equal(guardCode(source, "module"), guarded);
});

test("code that cannot be parsed is not guarded", () => {
  assert.equal(guardCode("let let = ~;", "script"), undefined);
});
