import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { pointerPart, positionsIn } from "./positions.ts";

const TEXT = `{
  "name": "a \\"quoted\\" name",
  "versions": [
    { "version": "1.0", "keep~/": [] },
    { "version" : 2 }
  ],
  "empty": {}, "last": null
}`;

const at = (pointer: string) => {
  const { line, column } = positionsIn(TEXT, [pointer])(pointer);
  return TEXT.split("\n")[line - 1]?.slice(column - 1);
};

test("every value is found where it begins", () => {
  assert.equal(at(""), "{");
  assert.equal(at("/name"), '"a \\"quoted\\" name",');
  assert.equal(at("/versions/0/version"), '"1.0", "keep~/": [] },');
  assert.equal(at("/versions/0/keep~0~1"), "[] },");
  assert.equal(at("/versions/1"), '{ "version" : 2 }');
  assert.equal(at("/versions/1/version"), "2 }");
  assert.equal(at("/empty"), '{}, "last": null');
  assert.equal(at("/last"), "null");
});

test("a missing value gets the position of its parent", () => {
  assert.equal(at("/versions/1/status"), '{ "version" : 2 }');
  assert.equal(at("/author/name"), "{");
});

test("when a key occurs twice, the last one counts", () => {
  assert.deepEqual(positionsIn('{"a":1,\n"a":2}', ["/a"])("/a"), { line: 2, column: 5 });
});

test("deeply nested text is handled without an error", () => {
  const deep = 200_000;
  const text = `{"a":${'["]",'.repeat(deep)}1${"]".repeat(deep)},\n"b":2}`;
  JSON.parse(text);
  assert.deepEqual(positionsIn(text, ["/b"])("/b"), { line: 2, column: 5 });
});

function pointersOf(value: unknown, pointer = ""): string[] {
  if (typeof value !== "object" || value === null) return [pointer];
  const members = Object.entries(value).flatMap(([key, inner]) => pointersOf(inner, `${pointer}/${pointerPart(key)}`));
  return [pointer, ...members];
}

test("the value at every place is the value that JSON.parse has there", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 2, "\t"), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      const find = positionsIn(text, pointersOf(JSON.parse(text)));
      const check = (part: unknown, pointer: string) => {
        const { line, column } = find(pointer);
        const lines = text.split("\n");
        const rest = [lines[line - 1]?.slice(column - 1), ...lines.slice(line)].join("\n");
        assert.ok(rest.startsWith(JSON.stringify(part, undefined, indent)?.slice(0, 1)), pointer);
        if (typeof part !== "object" || part === null) assert.ok(rest.startsWith(JSON.stringify(part)), pointer);
        else {
          for (const [key, inner] of Object.entries(part)) {
            check(inner, `${pointer}/${pointerPart(key)}`);
          }
        }
      };
      check(JSON.parse(text), "");
    }),
  );
});
