import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { claimPidFile, releasePidFile, starterPidFile } from "@backplane/kit/pid-file";
import { readSettings } from "@backplane/kit/settings";
import { runLineHere } from "./run-here.suite.ts";
import { commandSettings, leaveAddresses } from "./running.ts";

/** An account with an empty folder of its own, and its Backplanes: `up` as far as commands can see it. */
function account(t: TestContext) {
  const base = mkdtempSync(join(tmpdir(), "running-"));
  t.after(() => rmSync(base, { recursive: true }));
  const folder = join(base, "own");
  mkdirSync(folder);
  const env: NodeJS.ProcessEnv = { HOME: base };
  const host = { env, cwd: () => folder, pid: process.pid };
  return {
    ...{ base, folder, env, host },
    up(name: string, port: number, more: NodeJS.ProcessEnv = {}) {
      const settings = readSettings({ ...more, BACKPLANE_HOME: join(base, name), PLATFORM_PORT: String(port) }, base);
      const lock = starterPidFile(settings.home);
      assert.ok(claimPidFile(lock, process.pid));
      age(join(base, ".backplane", "running"));
      const left = leaveAddresses(host, settings);
      return { left, settings, kill: () => releasePidFile(lock, process.pid) };
    },
  };
}

/** File times are too coarse to tell which of two files was written last. */
function age(folder: string): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const { mtimeMs } = statSync(join(folder, name));
    utimesSync(join(folder, name), mtimeMs / 1_000 - 10, mtimeMs / 1_000 - 10);
  }
}

test("commands find a Backplane that this account runs on other ports, from any folder, until it stops", async (t) => {
  const { host, folder, env, up, base } = account(t);
  assert.equal(commandSettings(host).baseUrl, "http://localhost:8790");
  const { left, settings } = up("one", 18_790);
  const found = commandSettings(host);
  for (const name of ["baseUrl", "gatewayWsUrl", "watchdogPort", "home"] as const) {
    assert.equal(found[name], settings[name], name);
  }
  const printed = await runLineHere({ cwd: folder, env }, ["address"]);
  assert.deepEqual([printed.status, printed.stdout], [0, "http://localhost:18790\n"]);
  const gateway = await runLineHere({ cwd: folder, env }, ["address", "gateway"]);
  assert.equal(gateway.stdout, "http://localhost:8795\n");
  const running = join(base, ".backplane", "running");
  for (const name of readdirSync(running)) assert.equal(statSync(join(running, name)).mode & 0o077, 0);
  left[Symbol.dispose]();
  assert.equal(commandSettings(host).baseUrl, "http://localhost:8790");
});

test("addresses that the environment or the folder gives win, and .env does not decide where a token goes", (t) => {
  const { host, folder, env, up } = account(t);
  up("one", 18_790);
  assert.equal(commandSettings({ ...host, env: { ...env, PLATFORM_PORT: "9000" } }).baseUrl, "http://localhost:9000");
  writeFileSync(join(folder, ".env"), "BASE_URL=https://elsewhere.example\n");
  assert.equal(commandSettings(host).baseUrl, "https://elsewhere.example");
  assert.equal(commandSettings(host, { envFile: false }).baseUrl, "http://localhost:18790");
});

test("of several, the one of the folder is used, then the one that started last; one that was killed is forgotten", (t) => {
  const { host, base, up } = account(t);
  up("one", 18_790);
  const second = up("two", 18_791);
  assert.equal(commandSettings(host).platformPort, 18_791);
  const inOne = { ...host, env: { HOME: base }, cwd: () => join(base, "one-folder") };
  mkdirSync(join(base, "one-folder"));
  const own = up("one-folder/.backplane", 18_792);
  up("three", 18_793);
  assert.equal(commandSettings(inOne).platformPort, 18_792);
  const given = (name: string) => ({ ...host, env: { HOME: base, BACKPLANE_HOME: join(base, name) } });
  assert.equal(commandSettings(given("one")).platformPort, 18_790);
  assert.equal(commandSettings(given("none")).platformPort, 8790);
  own.kill();
  second.kill();
  assert.equal(commandSettings(inOne).platformPort, 18_793);
  up("four", 18_794);
  assert.equal(readdirSync(join(base, ".backplane", "running")).length, 3, "what was left by dead ones is removed");
});

test("viewer commands use the project of the Backplane that runs here, unless one is given or the folder has screenshots", async (t) => {
  const { base, folder, env, up } = account(t);
  const usedBy = async (more: NodeJS.ProcessEnv, ...args: string[]) => {
    const where = { cwd: folder, env: { ...env, ...more } };
    const { status, stdout, stderr } = await runLineHere(where, ["viewer", "list", ...args]);
    assert.equal(status, 0, stderr);
    return /The folder is (.*)\/screenshots\/sp\n/.exec(stdout)?.[1];
  };
  const given = join(base, "given");
  mkdirSync(given);
  const { left } = up("one", 18_790);
  assert.equal(await usedBy({}), base);
  assert.equal(await usedBy({}, "--project", "../given"), given);
  assert.equal(await usedBy({ VIEWER_PROJECT: given }), given);
  assert.deepEqual(readdirSync(folder), [], "nothing is left in a folder that is not used");
  mkdirSync(join(folder, "screenshots", "sp"), { recursive: true });
  assert.equal(await usedBy({}), folder);
  rmSync(join(folder, "screenshots"), { recursive: true });
  left[Symbol.dispose]();
  assert.equal(await usedBy({}), folder);
});

test("a backup is refused where the Backplane that runs has its data elsewhere, and its password is not kept", async (t) => {
  const { base, folder, env, up } = account(t);
  up("one", 18_790, { DATABASE_URL: "postgres://ada:s3cret@db.example.org/backplane" });
  const { status, stderr } = await runLineHere({ cwd: folder, env }, ["backup"]);
  assert.equal(status, 6, stderr);
  assert.match(stderr, /has another DATABASE_URL\. Run this in the folder where it was started/);
  const running = join(base, ".backplane", "running");
  for (const name of readdirSync(running)) assert.doesNotMatch(readFileSync(join(running, name), "utf8"), /s3cret|ada/);
});
