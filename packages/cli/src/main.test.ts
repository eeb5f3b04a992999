import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { VERSION } from "@backplane/kit/version";
import { freePort } from "../../../scripts/services/index.ts";

const BIN = fileURLToPath(new URL("../bin/backplane.js", import.meta.url));

function backplane(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const cwd = mkdtempSync(join(tmpdir(), "cli-"));
  try {
    const { PATH, HOME } = process.env;
    return spawnSync(process.execPath, [BIN, ...args], { cwd, env: { PATH, HOME, ...env }, encoding: "utf8" });
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

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

test("doctor finds no fault in a new folder, as text and as JSON", async () => {
  // The defaults may be in use where this runs.
  const names = ["PLATFORM_PORT", "GATEWAY_PORT", "WATCHDOG_PORT", "VIEWER_PORT"];
  const ports = await Promise.all(names.map(() => freePort()));
  const env = Object.fromEntries(names.map((name, index) => [name, String(ports[index])]));
  const text = backplane(["doctor"], env);
  assert.equal(text.status, 0, text.stdout);
  assert.match(text.stdout, /● home folder .*writable/);
  const { ok, findings } = JSON.parse(backplane(["doctor", "--json"], env).stdout);
  assert.equal(ok, true);
  assert.ok(
    findings.some(({ check, says }: { check: string; says: string }) => check === "database" && /SQLite/.test(says)),
  );
});

test("doctor reports every fault with its fix, and no password", () => {
  const settings = backplane(["doctor"], { GATEWAY_PORT: "x", DATABASE_URL: "mysql://u:c4nary@h" });
  assert.equal(settings.status, 1);
  assert.match(settings.stdout, /■ GATEWAY_PORT/);
  assert.match(settings.stdout, /■ DATABASE_URL/);
  const services = backplane(["doctor"], {
    DATABASE_URL: "postgres://u:c4nary@127.0.0.1:1/x",
    REDIS_URL: "redis://:c4nary@127.0.0.1:1",
    BACKPLANE_HOME: "/dev/null/x",
  });
  assert.equal(services.status, 1);
  for (const check of ["database", "message bus", "home folder"])
    assert.match(services.stdout, new RegExp(`■ ${check}`));
  assert.doesNotMatch(settings.stdout + services.stdout + services.stderr, /c4nary/);
});
