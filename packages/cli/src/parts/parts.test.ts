import assert from "node:assert/strict";
import { test } from "node:test";
import { doesRead, PARTS } from "@backplane/kit/parts";
import { SETTING_NAMES } from "@backplane/kit/settings";
import { backplane } from "../run-backplane.suite.ts";

test("the help of a part lists the settings that it reads, in the words of the README, and no others", () => {
  for (const part of PARTS) {
    const { status, stdout } = backplane([part, "--help"]);
    assert.equal(status, 0);
    const [, table = ""] = stdout.split("Settings of this process");
    const listed = [...table.matchAll(/^ {2}([A-Z][A-Z0-9_]+) +\S/gm)].map(([, name]) => name);
    assert.deepEqual(
      listed,
      SETTING_NAMES.filter((name) => doesRead(part, name)),
    );
  }
});

test("a misspelt command below gateway or viewer starts nothing", () => {
  const { status, stderr } = backplane(["gateway", "statsu"]);
  assert.equal(status, 2);
  assert.match(stderr, /unknown command 'statsu'\n\(Did you mean status\?\)\nRun backplane gateway --help/);
  assert.equal(backplane(["viewer", "shwo"]).status, 2);
  assert.equal(backplane(["platform", "now"]).status, 2);
});
