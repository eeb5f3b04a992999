import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { programOf } from "../scripts/programs.ts";
import { CLI, freePorts, type ProcessName, Program, plainEnvironment, portSettings } from "./support/backplane.ts";
import { descendantsOf, until } from "./support/processes.ts";

const DRAIN_DELAY_S = "3";

/** Commands that run one process each, in one folder. */
async function openFolder(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "backplane-parts-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const ports = await freePorts();
  const shared = { ...plainEnvironment(), HOME: folder, ...portSettings(ports), BACKPLANE_HOME: join(folder, "home") };
  return {
    url: (name: ProcessName, path: string) => `http://localhost:${ports[name]}${path}`,
    run(name: ProcessName, env: NodeJS.ProcessEnv = {}) {
      const program = new Program(process.execPath, [CLI, name], { cwd: folder, env: { ...shared, ...env } });
      t.after(() => program[Symbol.asyncDispose]());
      return program;
    },
  };
}

const statusOf = (url: string): Promise<number> =>
  fetch(url).then(
    ({ status }) => status,
    () => 0,
  );

for (const name of ["platform", "gateway", "viewer"] as const) {
  test(`backplane ${name} runs that process alone, warns in JSON lines, and leaves as a lame duck`, async (t) => {
    const { run, url } = await openFolder(t);
    const program = run(name, { DRAIN_DELAY_S, BASE_URL: "http://example.org" });
    await program.prints(/"msg":"ready"/);
    assert.deepEqual(descendantsOf(program.pid), [], "it is one process");
    assert.equal(await statusOf(url(name, "/ready")), 200);
    const lines = program.output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { level: string; msg: string });
    assert.equal(lines.filter(({ level, msg }) => level === "warn" && msg.includes("without TLS")).length, 1);
    const ended = program.stop("SIGTERM");
    await until(async () => (await statusOf(url(name, "/ready"))) === 503, "not ready, but serving");
    assert.equal(await statusOf(url(name, "/health")), 200);
    assert.equal(await ended, 0);
  });
}

test("backplane watchdog runs a gateway as its child, prints its lines, and shares the home with no other", async (t) => {
  const { run, url } = await openFolder(t);
  const watchdog = run("watchdog");
  await watchdog.prints(/"process":"watchdog".*"msg":"ready"/);
  assert.match(watchdog.output, /"process":"gateway".*"msg":"ready"/);
  assert.equal(await statusOf(url("watchdog", "/ready")), 200);
  const gateway = () => descendantsOf(watchdog.pid).find(({ command }) => command.includes(programOf("gateway")));
  const first = gateway()?.pid ?? 0;
  const second = run("watchdog", portSettings(await freePorts()));
  assert.equal(await second.ended(), 1);
  assert.match(second.output, new RegExp(`Another Backplane uses .*process ${watchdog.pid}`));
  process.kill(first, "SIGKILL");
  await until(() => (gateway()?.pid ?? first) !== first, "another gateway");
  assert.equal(await watchdog.stop("SIGTERM"), 0);
});

test("wrong settings end a part with code 2, a port in use with code 1, each with a sentence", async (t) => {
  const { run } = await openFolder(t);
  const wrong = run("gateway", { LOG_LEVEL: "loud" });
  assert.equal(await wrong.ended(), 2);
  assert.match(wrong.output, /^LOG_LEVEL /m);
  const first = run("gateway");
  await first.prints(/"msg":"ready"/);
  const second = run("gateway");
  assert.equal(await second.ended(), 1);
  assert.match(second.output, /Port \d+ is in use by another program\. .* GATEWAY_PORT/);
});
