import assert from "node:assert/strict";
import { test } from "node:test";
import { createContext, runInContext } from "node:vm";
import { type CodeHead, prepareCode } from "./prepare-code.ts";

/** Runs pieces of code one after the other as a frame does, and returns the value of the last one. */
async function run(...pieces: string[]): Promise<unknown> {
  const context = createContext({});
  let value: unknown;
  for (const piece of pieces) {
    const prepared = prepareCode(piece);
    assert.ok(prepared.ok, prepared.ok ? "" : `${piece}: ${prepared.error}`);
    const cut = prepared.code.indexOf("\n");
    const { names = [] } = JSON.parse(prepared.code.slice(0, cut)) as CodeHead;
    for (const name of names) runInContext(`globalThis.${name} ??= undefined`, context);
    // Not runInContext alone: declarations of a script cannot come twice, those of an indirect eval can.
    value = await runInContext(`(0, eval)(${JSON.stringify(prepared.code.slice(cut + 1))})`, context);
  }
  return typeof value === "object" && value !== null ? JSON.parse(JSON.stringify(value)) : value;
}

const VALUES: readonly (readonly [pieces: string | readonly string[], value: unknown])[] = [
  ["1 + 1", 2],
  ["", undefined],
  ["// nothing", undefined],
  ["1;", 1],
  ["1; 2", 2],
  ["'a\\nb'", "a\nb"],
  ["let x = 5", undefined],
  ["let x = 5; x", 5],
  [["let x = 5", "x"], 5],
  [["const x = 5", "x + 1"], 6],
  [["let x = 1", "let x = 2", "x"], 2],
  [["const x = 1", "const x = 2", "x"], 2],
  [["const x = 1", "let x", "x"], undefined],
  [["var x = 1", "var x", "x"], 1],
  [["let x = 1", "x = 3", "x"], 3],
  [["let a = 1, b = 2", "a + b"], 3],
  [
    ["let a, b = 2", "[a === undefined, b]"],
    [true, 2],
  ],
  [
    ["const { a, b: { c = 4 }, ...rest } = { a: 1, b: {}, d: 3 }", "[a, c, rest.d]"],
    [1, 4, 3],
  ],
  [
    ["const [a, , b = 9, ...c] = [1, 2, undefined, 4, 5]", "[a, b, c]"],
    [1, 9, [4, 5]],
  ],
  [["function f() { return 7 }", "f()"], 7],
  ["g(); function g() { return 8 }", 8],
  [["function f() { return 1 }", "function f() { return 2 }", "f()"], 2],
  [["async function f() { return 3 }", "await f()"], 3],
  [
    ["function* f() { yield 1; yield 2 }", "[...f()]"],
    [1, 2],
  ],
  [["class A { x = 1 }", "new A().x"], 1],
  [["class A {}", "class A { static y = 2 }", "A.y"], 2],
  ["class A {}class B { z = 3 }\n(new B()).z", 3],
  [["class A {}", "class B extends A {}", "new B() instanceof A"], true],
  ["({ a: 1 })", { a: 1 }],
  ["{ a: 1 }", { a: 1 }],
  ["{a: 1, b: [2]}", { a: 1, b: [2] }],
  ["  {}  ", {}],
  ["{ let y = 3; y }", 3],
  ["{ 1; 2 }", 2],
  [["let a = 5", "{ a }"], { a: 5 }],
  ["if (true) { 4 } else { 5 }", 4],
  ["if (false) 4; else 5", 5],
  ["try { throw 1 } catch { 6 }", 6],
  ["for (let i = 0; i < 3; i++) i * 2", 4],
  [["for (var i = 0; i < 3; i++);", "i"], 3],
  ["switch (2) { case 1: 'one'; break; case 2: 'two' }", "two"],
  ["out: { 1; break out }", 1],
  ["await 5", 5],
  ["await Promise.resolve(4) + 1", 5],
  ["const x = await Promise.resolve(2); x * 2", 4],
  [["const x = await Promise.resolve(2)", "x"], 2],
  [
    ["let a = await 1, b", "[a, b === undefined]"],
    [1, true],
  ],
  [["var v = 3", "var v; await 0", "v"], 3],
  [
    ["let { p, q: [r] } = await { p: 1, q: [2] }", "[p, r]"],
    [1, 2],
  ],
  [["await 0; function f() { return 'kept' }", "f()"], "kept"],
  ["h(); function h() { return 1 } await h()", 1],
  [["await 0; class K { static v = 4 }", "K.v"], 4],
  ["await 0\nclass P {}class Q { v = 1 }\n(new Q()).v", 1],
  [["for await (const x of [1, 2]) x", "1"], 1],
  ["for await (const x of [1, 2]) x * 10", 20],
  [["for (var n of await [1, 2]);", "n"], 2],
  [["for (var k in await { key: 1 });", "k"], "key"],
  [
    ["for (var i = 0, m = await 3; i < m; i++);", "[i, m]"],
    [3, 3],
  ],
  [["if (await true) { var inner = 9 }", "inner"], 9],
  ["if (await true) { 4 } else { 5 }", 4],
  ["try { await Promise.reject(1) } catch { 6 } finally { 7; }", 7],
  ["switch (await 1) { case 1: 'one' }", "one"],
  ["await 1\n2\n3 // last", 3],
  ["await 1; (2, 3)", 3],
  ["await 1\n;[4, 5]", [4, 5]],
  ["await 1; `a$" + "{await 2}b`", "a2b"],
  ["{ a: await 1 }", { a: 1 }],
  ["(async () => { const y = await 3; return y })()", 3],
  ["[1, 2].map((x) => x * 2)", [2, 4]],
  ["let $value = await 1; $value + 1", 2],
  ["'use strict'; let s = 1; s", 1],
  [["'use strict'; let s = 1", "s"], 1],
  ["'use strict'; (function () { return this === undefined })()", true],
  ["'use strict'; await 1; (function () { return this === undefined })()", true],
  ["(function () { return typeof this })()", "object"],
  ["typeof nowhere", "undefined"],
  [["implicit = 5", "implicit"], 5],
  ["const x = 1\nconst y = 2\nx + y", 3],
  ["await 0\nconst x = 1\nconst y = 2\nx + y", 3],
  ["let a = 1\n/* between */ let b = 2 // end\na + b", 3],
  ["await 0; let f = () => {}; f.name", "f"],
  ["(await import('data:text/javascript,export default 3').catch(() => ({ default: 3 }))).default", 3],
  ["label: for (const x of [1, 2]) { if (x === 2) break label; await x }", 1],
  ["do { await 1 } while (false)", 1],
];

for (const [pieces, value] of VALUES) {
  const all = typeof pieces === "string" ? [pieces] : pieces;
  test(`${all.map((piece) => JSON.stringify(piece)).join(" then ")} gives ${JSON.stringify(value)}`, async () => {
    assert.deepEqual(await run(...all), value);
  });
}

const FAULTS: readonly (readonly [code: string, error: RegExp])[] = [
  ["let x = ;", /^SyntaxError: Unexpected token \(line 1, column 9\)$/],
  ["let a = 1\nlet b = }", /\(line 2, column 9\)$/],
  ["{ a: 1, }}", /^SyntaxError: .*\(line 1, column \d+\)$/],
  ["let x = 1; let x = 2", /^SyntaxError: Identifier 'x' has already been declared \(line 1, column 16\)$/],
  ["\n  let location = 1", /^SyntaxError: Identifier 'location' has already been declared \(line 2, column 7\)$/],
  ["const { top } = window", /Identifier 'top' has already been declared \(line 1, column 9\)$/],
  ["for (var document of []);", /Identifier 'document' has already been declared/],
  ["function undefined() {}", /Identifier 'undefined' has already been declared/],
  ["return 5", /^SyntaxError: 'return' outside of function \(line 1, column 1\)$/],
  ["import x from 'y'", /^SyntaxError: .*\(line 1, column 1\)$/],
  ["function f() { await 1 }", /^SyntaxError: .*\(line 1, column \d+\)$/],
  ["'unterminated", /^SyntaxError: Unterminated string constant \(line 1, column 1\)$/],
];

for (const [code, error] of FAULTS) {
  test(`${JSON.stringify(code)} is refused with its position`, () => {
    const prepared = prepareCode(code);
    assert.match(prepared.ok ? "taken" : prepared.error, error);
  });
}

test("code that is nested too deeply is refused, not thrown", () => {
  const prepared = prepareCode("(".repeat(200_000));
  assert.equal(prepared.ok, false);
});

test("the frame learns the names that code declares, and the original code is kept for people", () => {
  const prepared = prepareCode("let name = 1; function open() {} for (var i of []);");
  assert.ok(prepared.ok);
  const head = JSON.parse(prepared.code.split("\n", 1)[0] ?? "") as CodeHead;
  assert.deepEqual(head.names, ["name", "open", "i"]);
  assert.equal(head.shown, "let name = 1; function open() {} for (var i of []);");
});

test("code that needs no rewriting is not sent twice", () => {
  assert.deepEqual(prepareCode("1 + 1"), { ok: true, code: "{}\n1 + 1", isPrepared: true });
});

test("rewritten code keeps the line numbers of the original", async () => {
  await assert.rejects(run("await 1\nlet a = 2\nfunction f() {\n  throw new Error('here')\n}\nf()"), (error: Error) => {
    assert.match(error.stack ?? "", /:4:/);
    return true;
  });
});
