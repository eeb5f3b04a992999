import assert from "node:assert/strict";
import { test } from "node:test";
import { VERSION } from "@backplane/kit/version";
import { backplane } from "./run-backplane.suite.ts";

test("version is printed by the command and by the option", () => {
  for (const args of [["version"], ["--version"], ["-v"]]) {
    const { status, stdout } = backplane(args);
    assert.deepEqual([status, stdout], [0, `${VERSION}\n`]);
  }
});

test("the help names every command and the exit codes", () => {
  const { status, stdout } = backplane(["--help"]);
  assert.equal(status, 0);
  for (const word of ["up", "doctor", "version", "help", "Exit codes"])
    assert.match(stdout, new RegExp(`\\b${word}\\b`));
  assert.match(backplane(["help", "doctor"]).stdout, /--json/);
});

test("an unknown command or option is refused, with the nearest match", () => {
  const command = backplane(["docter"]);
  assert.equal(command.status, 2);
  assert.match(command.stderr, /unknown command 'docter'\s+\(Did you mean doctor\?\)/);
  const option = backplane(["doctor", "--jsn"]);
  assert.equal(option.status, 2);
  assert.match(option.stderr, /unknown option '--jsn'\s+\(Did you mean --json\?\)/);
});

test("an extra argument is refused", () => {
  assert.equal(backplane(["up", "now"]).status, 2);
});

test("messages and help write the command as the executable that was started is called elsewhere", () => {
  const env = { BACKPLANE_COMMAND: "/home/ada/clone/backplane" };
  const refused = backplane(["whoami"], env);
  assert.match(refused.stderr, /\n {2}Run \/home\/ada\/clone\/backplane login\n/);
  assert.match(backplane(["panel", "open", "--help"], env).stdout, /^Usage: \/home\/ada\/clone\/backplane panel open /);
});
