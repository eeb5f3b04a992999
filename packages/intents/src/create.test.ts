import assert from "node:assert/strict";
import { test } from "node:test";
import type { Problem } from "@backplane/kit/problems";
import { readAppName } from "./create.ts";

test("a name can be in any script, and is trimmed", () => {
  for (const name of ["Router CLI", "回路図エディタ", "عارض", "👩‍💻 tools", "naïve"])
    assert.equal(readAppName(` ${name} `), name);
  assert.equal(readAppName(undefined), null);
});

test("deceptive characters are refused and the field is named: controls, line ends, bidi, zero width, half characters", () => {
  const deceiving = [
    "a\u0000",
    "a\u001b[31m",
    "a\r\nb",
    "a\u2028b",
    "a\u202eb",
    "a\u2066b",
    "\u200ba",
    "a\u00adb",
    "a\ufeffb",
    "\ud800",
    " ",
  ];
  for (const name of deceiving) {
    assert.throws(
      () => readAppName(`x${name}`.slice(name === " " ? 1 : 0)),
      (error: Problem) => {
        assert.equal(error.code, "invalid-input");
        assert.equal(error.errors?.[0]?.pointer, "/app_name");
        return true;
      },
    );
  }
});
