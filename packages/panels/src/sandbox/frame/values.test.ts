import assert from "node:assert/strict";
import { test } from "node:test";
import { createInspect } from "./inspect-value.ts";
import { createNatives, type FrameWindow } from "./natives.ts";
import { createValueToJson } from "./value-to-json.ts";

const natives = createNatives(globalThis as FrameWindow);
const inspect = createInspect(natives);
const toJson = createValueToJson(natives, inspect, 10_000);

const circular: Record<string, unknown> = { a: 1 };
circular.self = circular;
const shared = { b: 2 };
const throwing = {
  get a(): number {
    throw new Error("no");
  },
};
class Plot {
  points = [1, 2];
}

const VALUES: readonly (readonly [value: unknown, json: unknown, text: string])[] = [
  [undefined, undefined, "undefined"],
  [null, null, "null"],
  [true, true, "true"],
  [1.5, 1.5, "1.5"],
  [Number.NaN, "NaN", "NaN"],
  [-0, "-0", "-0"],
  [Number.POSITIVE_INFINITY, "Infinity", "Infinity"],
  [12n, "12n", "12n"],
  ["text", "text", '"text"'],
  [Symbol("s"), "Symbol(s)", "Symbol(s)"],
  [function named() {}, "[Function named]", "[Function named]"],
  [Plot, "[class Plot]", "[class Plot]"],
  [new Plot(), { points: [1, 2] }, "Plot { points: [1, 2] }"],
  [{ a: 1, "b-c": [true, null] }, { a: 1, "b-c": [true, null] }, '{ a: 1, "b-c": [true, null] }'],
  [{ u: undefined, f: () => 1 }, { f: "[Function f]" }, "{ u: undefined, f: [Function f] }"],
  [[undefined, 1], [null, 1], "[undefined, 1]"],
  [circular, { a: 1, self: "[Circular]" }, "{ a: 1, self: [Circular] }"],
  [[shared, shared], [{ b: 2 }, { b: 2 }], "[{ b: 2 }, { b: 2 }]"],
  [new Date(0), "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.000Z"],
  [new Date(Number.NaN), "Invalid Date", "Invalid Date"],
  [/a+/gi, "/a+/gi", "/a+/gi"],
  [new Map([["k", { v: 1 }]]), 'Map(1) { "k" => { v: 1 } }', 'Map(1) { "k" => { v: 1 } }'],
  [new Set([1, 2]), "Set(2) { 1, 2 }", "Set(2) { 1, 2 }"],
  [new Uint8Array([1, 2]), "Uint8Array(2) [1, 2]", "Uint8Array(2) [1, 2]"],
  [Promise.resolve(1), "[Promise]", "[Promise]"],
  [throwing, { a: "[Getter threw]" }, "{ a: [Getter] }"],
  [{ toJSON: () => ({ as: "said" }) }, { as: "said" }, "{ toJSON: [Function toJSON] }"],
  [Object.create(null), {}, "{}"],
  [JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}'), "{ __proto__: 1 }"],
  [{ a: { b: { c: { d: { e: 1 } } } } }, { a: { b: { c: { d: { e: 1 } } } } }, "{ a: { b: { c: { d: {…} } } } }"],
];

for (const [value, json, text] of VALUES) {
  test(`a console shows ${text}`, () => {
    assert.equal(inspect.inspect(value), text);
    const told = toJson(value);
    assert.deepEqual(told === undefined ? undefined : JSON.parse(told), json);
  });
}

test("proxies whose traps throw are described, not thrown", () => {
  const trap = () => {
    throw new Error("trap");
  };
  for (const name of ["get", "ownKeys", "getPrototypeOf", "getOwnPropertyDescriptor", "has"]) {
    const hostile = new Proxy({ a: 1 }, { [name]: trap });
    assert.equal(typeof inspect.inspect(hostile), "string", name);
    assert.equal(typeof toJson({ hostile }), "string", name);
    assert.equal(typeof inspect.describeThrown(hostile), "string", name);
  }
});

test("an endless object is cut", () => {
  const endless: object = new Proxy(
    {},
    {
      ownKeys: () => ["next"],
      get: () => endless2(),
      getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true, value: endless2() }),
    },
  );
  function endless2(): object {
    return new Proxy(
      {},
      {
        ownKeys: () => ["next"],
        get: (_t, name) => (name === "next" ? endless2() : undefined),
        getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true, value: endless2() }),
      },
    );
  }
  assert.ok(inspect.inspect(endless).length < 1_000);
  assert.ok((toJson({ endless }) ?? "").length <= 10_000);
});

test("a result that is too long is shortened", () => {
  const told = JSON.parse(toJson(Array.from({ length: 5_000 }, (_, n) => n)) ?? "") as string;
  assert.match(told, /^\[0, 1, 2, .*… 4900 more\]$/);
  assert.match(JSON.parse(toJson("x".repeat(30_000)) ?? ""), /^x{20000}… \(30000 characters\)$/);
});

test("a thrown value is described, with line numbers of the code that was sent", () => {
  const error = new TypeError("imu.bias is not a function");
  error.stack =
    "TypeError: imu.bias is not a function\n    at step (code:3:5)\n    at eval (code:9:1)\n    at run (http://x/run:1:2)";
  assert.equal(
    inspect.describeThrown(error),
    "TypeError: imu.bias is not a function\n    at step, line 3\n    at line 9",
  );
  assert.equal(inspect.describeThrown(5), "Uncaught 5");
  assert.equal(inspect.describeThrown({ a: 1 }), "Uncaught { a: 1 }");
});
