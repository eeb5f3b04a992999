import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempDisposableSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { bundleProgram } from "../../../../scripts/testing/bundle.ts";
import { until } from "../../../../scripts/testing/until.ts";
import type { SuperviseLimits } from "./limits.ts";
import type { ChildEvent, ProcessMessage } from "./messages.ts";
import { claimPidFile } from "./pid-file.ts";
import { supervise } from "./supervise.ts";

const SOURCE = fileURLToPath(new URL("testing/child.ts", import.meta.url));

const built = mkdtempDisposableSync(join(tmpdir(), "supervise-"));
let program: string;
before(async () => {
  program = await bundleProgram(SOURCE, built.path);
});
after(() => built.remove());

function keep(
  t: TestContext,
  behaviour: string,
  limits: Partial<SuperviseLimits> = {},
  mayRestart: () => boolean = () => true,
) {
  const events: ChildEvent[] = [];
  const lines: string[] = [];
  const messages: ProcessMessage[] = [];
  const folder = mkdtempSync(join(tmpdir(), "supervise-"));
  const pidFile = join(folder, "child.pid");
  const child = supervise({
    name: "child",
    program,
    environment: { ...process.env, CHILD: behaviour },
    pidFile,
    now: Date.now,
    random: () => 0.5,
    onEvent: (event) => events.push(event),
    onLine: (line) => lines.push(line),
    onMessage: (message) => messages.push(message),
    mayRestart,
    limits: { firstWaitMs: 10, ...limits },
  });
  t.after(async () => {
    await child.stop();
    rmSync(folder, { recursive: true });
  });
  return { child, pidFile, events, lines, messages, kinds: () => events.map(({ type }) => type) };
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test("a child that comes up is running, reports its facts, and stops when told to", async (t) => {
  const { child, events, messages } = keep(t, "good");
  await child.start();
  const { state, pid } = child.state();
  assert.equal(state, "running");
  assert.ok(pid && isAlive(pid));
  const [running] = events;
  assert.ok(running?.type === "running");
  assert.deepEqual(running.facts, { answer: 42 });
  assert.deepEqual(messages, [{ type: "child", name: "grandchild", event: { type: "stopped" } }]);
  await child.stop();
  assert.equal(child.state().state, "stopped");
  assert.equal(isAlive(pid), false);
  assert.deepEqual(events.at(-1), { type: "stopped" });
});

test("a child that was killed is reported and restarted at once", async (t) => {
  const { child, kinds, events } = keep(t, "good");
  await child.start();
  const { pid } = child.state();
  process.kill(pid ?? 0, "SIGKILL");
  await until("as expected", () => kinds().filter((kind) => kind === "running").length === 2);
  assert.deepEqual(kinds(), ["running", "exited", "restarting", "running"]);
  assert.match((events[1] as { reason: string }).reason, /SIGKILL/);
  assert.notEqual(child.state().pid, pid);
  assert.equal(child.state().restarts, 1);
});

test("a child that keeps crashing is restarted for as long as it takes", async (t) => {
  const { child, kinds, events } = keep(t, "crashing", { longestWaitMs: 20 });
  await child.start();
  await until("the sixth restart", () => kinds().filter((kind) => kind === "restarting").length === 6);
  assert.ok(!kinds().includes("failed"));
  const restarts = events.filter((event) => event.type === "restarting");
  assert.deepEqual(
    restarts.map(({ inMs, attempt }) => [inMs, attempt]),
    [[0, 1], ...[10, 20, 20, 20, 20].map((inMs, index) => [inMs, index + 2])],
  );
});

test("a child that is replaced is ended and restarted at once, with the reason it was given up for", async (t) => {
  const { child, kinds, events } = keep(t, "plain");
  await child.start();
  const { pid } = child.state();
  await child.replace("failed its checks");
  await until("it runs again", () => child.state().state === "running");
  assert.deepEqual(kinds(), ["running", "exited", "restarting", "running"]);
  assert.deepEqual(events[1], { type: "exited", pid, reason: "failed its checks" });
  assert.equal(isAlive(pid ?? 0), false);
  assert.equal(child.state().restarts, 1);
});

test("a child that is replaced again and again comes back after waits that grow, like one that crashes", async (t) => {
  const { child, events } = keep(t, "plain");
  await child.start();
  await child.replace("hung");
  await until("it runs again", () => child.state().state === "running");
  await child.replace("hung");
  assert.deepEqual(events.at(-1), { type: "restarting", inMs: 10, attempt: 2, reason: "hung" });
  await until("it runs again", () => child.state().state === "running");
});

test("a stop in the middle of a replacement wins", async (t) => {
  const { child } = keep(t, "stubborn", { replaceDeadlineMs: 100 });
  await child.start();
  const replaced = child.replace("hung");
  await until("it is being ended", () => child.state().state === "starting");
  await child.stop();
  await replaced;
  assert.deepEqual([child.state().state, child.state().pid], ["stopped", undefined]);
});

test("a stop suppresses the restart of a child that has crashed and waits for its next attempt", async (t) => {
  const { child, kinds } = keep(t, "crashing", { firstWaitMs: 60_000 });
  await child.start();
  await until("it waits", () => kinds().filter((kind) => kind === "restarting").length === 2);
  assert.deepEqual([child.state().state, child.state().pid], ["starting", undefined]);
  await child.stop();
  assert.equal(child.state().state, "stopped");
});

test("a child that may not be restarted stays failed when it ends, also when that was decided while it waited", async (t) => {
  let may = false;
  const { child, kinds, events } = keep(t, "crashing", { firstWaitMs: 500 }, () => may);
  await child.start();
  await until("it has failed", () => child.state().state === "failed");
  assert.deepEqual(kinds(), ["running", "exited", "failed"]);
  assert.match((events[2] as { reason: string }).reason, /^exited with code 3; automatic restart is off$/);
  may = true;
  await child.start();
  await until("it waits", () => kinds().at(-1) === "restarting" && child.state().restarts === 1);
  may = false;
  await until("it has failed", () => child.state().state === "failed");
  assert.equal(child.state().restarts, 1);
});

test("a restart that somebody asks for forgets the earlier ones", async (t) => {
  const { child, kinds, events } = keep(t, "crashing", { firstWaitMs: 60_000, longestWaitMs: 60_000 });
  const restarts = () => events.filter((event) => event.type === "restarting");
  await child.start();
  await until("it waits", () => restarts().length === 2);
  const before = kinds().length;
  await child.restart();
  await until("it crashed again", () => kinds().slice(before).includes("restarting"));
  assert.deepEqual(
    restarts().map(({ inMs }) => inMs),
    [0, 60_000, 0],
  );
});

test("a child that refuses to start says why, in its own words", async (t) => {
  const { child } = keep(t, "unwilling");
  await assert.rejects(child.start(), /^Error: The moon is in the wrong place\. Wait for it\.$/);
  assert.equal(child.state().state, "failed");
});

test("a first start that fails is tried again until it works, if that was asked for", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "supervise-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const obstacle = join(folder, "obstacle");
  writeFileSync(obstacle, "");
  const { child, events } = keep(t, `unless ${obstacle}`);
  await assert.rejects(child.start({ keepTrying: true }), /The way is blocked/);
  assert.deepEqual(events[0], { type: "restarting", inMs: 0, attempt: 1, reason: "The way is blocked." });
  rmSync(obstacle);
  await until("it runs", () => child.state().state === "running");
});

test("a child that never gets ready is ended at the deadline", async (t) => {
  const { child } = keep(t, "silent", { startDeadlineMs: 300 });
  await assert.rejects(child.start(), /did not come up within/);
  assert.equal(child.state().pid, undefined);
});

test("a child that ignores SIGTERM is killed at the deadline", async (t) => {
  const { child } = keep(t, "stubborn", { stopDeadlineMs: 100 });
  await child.start();
  const { pid } = child.state();
  await child.stop();
  assert.equal(isAlive(pid ?? 0), false);
});

test("a stop does not wait for a child that is still coming up", async (t) => {
  const { child } = keep(t, "silent", { startDeadlineMs: 60_000, stopDeadlineMs: 100 });
  const started = assert.rejects(child.start());
  await until("it was launched", () => child.state().pid !== undefined);
  await child.stop();
  await started;
  assert.deepEqual([child.state().state, child.state().pid], ["stopped", undefined]);
});

test("a start that was requested before a stop does not outlive it", async (t) => {
  const { child } = keep(t, "plain");
  const results = await Promise.allSettled([child.start(), child.restart(), child.start(), child.stop()]);
  assert.equal(results.at(-1)?.status, "fulfilled");
  assert.deepEqual([child.state().state, child.state().pid], ["stopped", undefined]);
});

test("a restart that fails is tried again until it works", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "supervise-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const obstacle = join(folder, "obstacle");
  const { child, kinds } = keep(t, `unless ${obstacle}`);
  await child.start();
  writeFileSync(obstacle, "");
  await assert.rejects(child.restart(), /The way is blocked/);
  rmSync(obstacle);
  await until("it runs again", () => child.state().state === "running");
  assert.ok(kinds().includes("restarting"));
});

test("a program that cannot be started leaves nothing that blocks the next start", async (t) => {
  const { child } = keep(t, "plain");
  const node = process.execPath;
  process.execPath = "/nonexistent/node";
  await assert.rejects(child.start(), /ENOENT/);
  process.execPath = node;
  await child.start();
  assert.equal(child.state().state, "running");
});

test("a hanging child that outlived its parent is killed before another is started", async (t) => {
  const { child, pidFile } = keep(t, "plain");
  const orphan = spawn(process.execPath, [program], { stdio: "ignore", env: { ...process.env, CHILD: "silent" } });
  const { pid = 0 } = orphan;
  claimPidFile(pidFile, pid);
  process.kill(pid, "SIGSTOP");
  await child.start();
  assert.equal(orphan.signalCode ?? "still there", "SIGKILL");
  assert.notEqual(child.state().pid, pid);
});

test("commands given at once leave exactly one child", async (t) => {
  const { child } = keep(t, "plain");
  await Promise.all([child.start(), child.start(), child.restart(), child.start()]);
  const { pid } = child.state();
  assert.ok(pid && isAlive(pid));
  await child.stop();
  assert.equal(isAlive(pid), false);
});

test("secrets in a child's output are scrubbed, also when it dies of an exception", async (t) => {
  const leaky = keep(t, "leaky");
  await leaky.child.start();
  await until("as expected", () => leaky.lines.some((line) => line.includes("token=")));
  const throwing = keep(t, "throwing", {}, () => false);
  await throwing.child.start();
  await until("as expected", () => throwing.kinds().includes("failed"));
  assert.match(throwing.lines.join(), /deep trouble/);
  assert.doesNotMatch([...leaky.lines, ...throwing.lines, JSON.stringify(throwing.events)].join(), /cAnArY/);
});

test("a child ends when its parent is killed", async () => {
  const parent = `
    import { supervise } from ${JSON.stringify(new URL("supervise.ts", import.meta.url).href)};
    const child = supervise({ name: "child", program: ${JSON.stringify(program)}, environment: process.env,
      pidFile: ${JSON.stringify(join(tmpdir(), `supervise-${process.pid}.pid`))}, now: Date.now,
      random: Math.random, onEvent() {}, onLine() {} });
    await child.start();
    console.log(child.state().pid);`;
  const host = spawn(process.execPath, ["--input-type=module-typescript", "-e", parent], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let pid = 0;
  host.stdout.on("data", (chunk) => {
    pid = Number(chunk);
  });
  await until("as expected", () => pid > 0);
  assert.ok(isAlive(pid));
  host.kill("SIGKILL");
  await until("as expected", () => !isAlive(pid));
});
