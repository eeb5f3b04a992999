import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, suite, type TestContext, test } from "node:test";
import { isLongRun } from "../scripts/testing/long.ts";
import {
  CLI,
  freePorts,
  PROCESS_NAMES,
  type ProcessName,
  Program,
  plainEnvironment,
  portSettings,
  type RunningBackplane,
  startBackplane,
} from "./support/backplane.ts";
import { underLoad } from "./support/load.ts";
import { descendantsOf, isAlive, until } from "./support/processes.ts";
import { startViewer } from "./support/viewer.ts";

/** The promised limit after Ctrl-C. */
const stopWithinMs = () => underLoad(5_000);

async function assertEnds(backplane: RunningBackplane, signal: "SIGINT" | "SIGTERM" | "SIGHUP"): Promise<void> {
  const pids = descendantsOf(backplane.program.pid).map(({ pid }) => pid);
  assert.ok(pids.length >= PROCESS_NAMES.length);
  const startedMs = Date.now();
  assert.equal(await backplane.program.stop(signal), 0);
  assert.ok(Date.now() - startedMs < stopWithinMs(), `took ${Date.now() - startedMs} ms`);
  assert.deepEqual(pids.filter(isAlive), []);
  assert.match(backplane.program.output, /Stopped\. Nothing is left running\./);
}

suite("a running Backplane", () => {
  let backplane: RunningBackplane;
  before(async () => {
    backplane = await startBackplane();
  });
  after(() => backplane?.[Symbol.asyncDispose]());

  test("up starts all four processes, prints their addresses, and writes the owner's credentials", async () => {
    for (const name of PROCESS_NAMES) {
      assert.match(backplane.program.output, new RegExp(`● ${name} +running`));
      assert.ok(backplane.program.output.includes(backplane.url(name)), name);
      const health = await fetch(backplane.url(name, "/health"));
      assert.equal(health.status, 200);
      assert.equal(((await health.json()) as { status: string }).status, "ok");
      assert.equal((await fetch(backplane.url(name, "/ready"))).status, 200);
      assert.equal((await fetch(`http://127.0.0.1:${backplane.ports[name]}/`)).status, 200);
    }
    // From another folder and without options, commands find it, although its ports are not the usual ones.
    const env = { ...plainEnvironment(), HOME: dirname(backplane.home) };
    const found = execFileSync(process.execPath, [CLI, "address"], { cwd: tmpdir(), env, encoding: "utf8" });
    assert.equal(found, `${backplane.url("platform")}\n`);
    const path = join(backplane.home, "owner.json");
    const owner = JSON.parse(readFileSync(path, "utf8"));
    assert.deepEqual(Object.keys(owner), ["name", "email", "password", "api_key"]);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    // The output is a pipe, not a terminal, so secrets are not printed.
    assert.ok(!backplane.program.output.includes(owner.password));
    assert.ok(!backplane.program.output.includes(owner.api_key));
  });

  test("each process has a page that names it, and answers the contract's health check", async () => {
    const pageOf = async (name: ProcessName) => (await fetch(backplane.url(name))).text();
    assert.match(await pageOf("viewer"), /Screenshot paste/);
    assert.match(await pageOf("gateway"), /The gateway is running/);
    assert.match(await pageOf("watchdog"), /Gateway is running/);
    const health = (await (await fetch(backplane.url("gateway", "/health"))).json()) as Record<string, unknown>;
    assert.deepEqual([health.pending, typeof health.uptime], [0, "number"]);
  });

  test("each process listens on loopback only", async () => {
    for (const name of PROCESS_NAMES) {
      // Another address of this machine: a process that listens on all addresses would answer there.
      const socket = connect(backplane.ports[name], "127.0.0.2");
      const outcome = await new Promise((resolve) => {
        socket.once("connect", () => resolve("connected"));
        socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code));
      });
      socket.destroy();
      assert.equal(outcome, "ECONNREFUSED", name);
    }
  });

  test("everything in the home folder is readable only by its owner", () => {
    const names = readdirSync(backplane.home, { recursive: true, encoding: "utf8" });
    for (const made of ["backplane.db", "owner.json", "logs", "run"]) assert.ok(names.includes(made), made);
    for (const name of ["", ...names]) {
      // Some files exist only for a moment.
      const { mode = 0 } = statSync(join(backplane.home, name), { throwIfNoEntry: false }) ?? {};
      assert.equal(mode & 0o077, 0, name);
    }
  });

  test("each process refuses host names that are not its own, two Host headers, and metrics through a proxy", async () => {
    const ask = async (name: ProcessName, path: string, ...lines: string[]) => {
      const socket = connect(backplane.ports[name], "127.0.0.1").setEncoding("utf8");
      socket.write(`GET ${path} HTTP/1.1\r\n${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n`);
      return Number(/^HTTP\/1\.1 (\d+)/.exec((await socket.toArray()).join(""))?.[1]);
    };
    for (const name of PROCESS_NAMES) {
      // The watchdog's pages also need a token under other names.
      const refused = name === "watchdog" ? 401 : 421;
      for (const path of ["/", "/status", "/metrics", "/api/overview", "/registry/packages"]) {
        assert.equal(await ask(name, path, "Host: evil.example"), refused, `${name} ${path}`);
      }
      assert.equal(await ask(name, "/health", "Host: localhost", "Host: localhost"), 400, name);
      assert.equal(await ask(name, "/metrics", "Host: localhost", "X-Forwarded-For: 203.0.113.9"), 401, name);
      assert.equal(await ask(name, "/metrics", "Host: localhost"), 200, name);
    }
  });

  test("a second start with the same home is refused, and the first is not disturbed", async (t) => {
    const { code, output } = await refusedStart(t, { BACKPLANE_HOME: backplane.home });
    assert.equal(code, 1);
    assert.match(output, new RegExp(`Another Backplane uses .* \\(process ${backplane.program.pid}\\)`));
    assert.equal((await fetch(backplane.url("platform", "/ready"))).status, 200);
  });

  for (const name of PROCESS_NAMES) {
    test(`${name} killed by its pid is reported and restarted, and up keeps running`, async () => {
      const pid = backplane.pidOf(name);
      process.kill(pid, "SIGKILL");
      await backplane.program.prints(new RegExp(`■ ${name} +ended by SIGKILL \\(process ${pid}\\)`));
      await backplane.program.prints(new RegExp(`● ${name} +running again, process \\d+`));
      assert.notEqual(backplane.pidOf(name), pid);
      for (const each of PROCESS_NAMES) {
        await until(
          async () => (await fetch(backplane.url(each, "/health")).catch(() => undefined))?.ok,
          `${each} healthy`,
        );
      }
      assert.equal(backplane.program.child.exitCode, null);
    });
  }

  test("a hanging gateway whose watchdog is killed is replaced", async () => {
    const gateway = backplane.pidOf("gateway");
    const printedBefore = backplane.program.output.length;
    process.kill(gateway, "SIGSTOP");
    process.kill(backplane.pidOf("watchdog"), "SIGKILL");
    const isBack = () => /● gateway +running again/.test(backplane.program.output.slice(printedBefore));
    await until(isBack, "the gateway is running again");
    assert.equal(isAlive(gateway), false);
  });

  test("SIGTERM ends everything within 5 s and leaves no process, also while two of them hang", async () => {
    for (const name of ["gateway", "viewer"] as const) process.kill(backplane.pidOf(name), "SIGSTOP");
    await assertEnds(backplane, "SIGTERM");
  });

  test("a second start uses the same home and creates no new owner; the viewer follows when another process gives up the screenshots; SIGHUP ends everything within 5 s, and does not wait for idle or slow connections", async (t) => {
    const before = readFileSync(join(backplane.home, "owner.json"), "utf8");
    const loggedBefore = backplane.logOf("platform").length;
    await using other = await startViewer();
    const env = { BACKPLANE_HOME: backplane.home, VIEWER_PROJECT: other.project };
    await using second = await startBackplane({ env });
    const { output } = second.program;
    assert.match(output, new RegExp(`■ viewer +Process ${other.pid} has the screenshots in .* VIEWER_PROJECT`));
    assert.match(output, /Everything except viewer is running/);
    await other.kill("SIGTERM");
    await second.program.prints(/● viewer +running/);
    assert.equal(readFileSync(join(backplane.home, "owner.json"), "utf8"), before);
    assert.equal((await fetch(second.url("platform", "/ready"))).status, 200);
    const sockets = ["", "GET /health HTTP/1.1\r\nHost: x\r\n"].map((text) => {
      const socket = connect(second.ports.platform, "127.0.0.1");
      socket.on("error", () => {}).write(text);
      t.after(() => socket.destroy());
      return socket;
    });
    await Promise.all(sockets.map((socket) => until(() => !socket.connecting, "connected")));
    await assertEnds(second, "SIGHUP");
    const logged = backplane.logOf("platform").slice(loggedBefore);
    assert.match(logged, /"msg":"ready"/);
    assert.doesNotMatch(logged, /did not stop in time/);
  });
});

test("a terminal gets the password, once; when up is killed, everything ends", async () => {
  // `script` runs the program in its own terminal.
  const ports = await freePorts();
  await using backplane = await startBackplane({
    command: "script",
    args: ["-qefc", `exec '${process.execPath}' '${CLI}' up`, "/dev/null"],
    env: { ...portSettings(ports), NO_COLOR: "1" },
  });
  const { password, api_key } = JSON.parse(readFileSync(join(backplane.home, "owner.json"), "utf8"));
  for (const secret of [password, api_key]) assert.equal(backplane.program.output.split(secret).length, 2);

  const [up] = descendantsOf(backplane.program.pid);
  assert.ok(up);
  assert.ok(up.command.includes(CLI), up.command);
  const pids = descendantsOf(up.pid).map(({ pid }) => pid);
  assert.ok(pids.length >= PROCESS_NAMES.length);
  process.kill(up.pid, "SIGKILL");
  await until(() => [up.pid, ...pids].every((pid) => !isAlive(pid)), "all have ended", stopWithinMs());
});

/** Removed after the test. */
function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "backplane-e2e-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("Ctrl-C during the start leaves no process", async (t) => {
  const cwd = temporaryFolder(t);
  const ports = await freePorts();
  const program = new Program(process.execPath, [CLI, "up"], {
    cwd,
    env: { ...plainEnvironment(), ...portSettings(ports) },
  });
  await program.prints(/state in/);
  await until(() => descendantsOf(program.pid).length >= 3, "children were started");
  const pids = descendantsOf(program.pid).map(({ pid }) => pid);
  const startedMs = Date.now();
  assert.equal(await program.stop("SIGINT"), 0);
  assert.ok(Date.now() - startedMs < stopWithinMs(), `took ${Date.now() - startedMs} ms`);
  await until(() => pids.every((pid) => !isAlive(pid)), "all have ended", underLoad(1_000));
});

test("Ctrl-C while the start waits for the database ends everything within 5 s", async (t) => {
  const server = createServer((socket) => t.after(() => socket.destroy())).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const program = new Program(process.execPath, [CLI, "up"], {
    cwd: temporaryFolder(t),
    env: {
      ...plainEnvironment(),
      ...portSettings(await freePorts()),
      DATABASE_URL: `postgres://u@127.0.0.1:${port}/x`,
    },
  });
  await program.prints(/watchdog +running/);
  const pids = descendantsOf(program.pid).map(({ pid }) => pid);
  const startedMs = Date.now();
  await program.stop("SIGINT");
  assert.ok(Date.now() - startedMs < stopWithinMs(), `took ${Date.now() - startedMs} ms`);
  assert.deepEqual(pids.filter(isAlive), []);
});

/** Expects the start to fail and leave no process; returns exit code and output. */
async function refusedStart(t: TestContext, env: NodeJS.ProcessEnv) {
  const ports = await freePorts();
  const program = new Program(process.execPath, [CLI, "up"], {
    cwd: temporaryFolder(t),
    env: { ...plainEnvironment(), ...portSettings(ports), ...env },
  });
  const code = await program.ended();
  for (const name of PROCESS_NAMES) {
    await assert.rejects(fetch(`http://127.0.0.1:${ports[name]}/health`), `${name} was started`);
  }
  return { code, output: program.output };
}

test("a port in use is reported in one clear sentence, and nothing is half-started", async (t) => {
  const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const { code, output } = await refusedStart(t, { VIEWER_PORT: String(port) });
  assert.equal(code, 1);
  assert.match(output, new RegExp(`Port ${port} is in use by another program\\. Stop that one, or set VIEWER_PORT`));
});

test("all invalid settings are reported at once, and nothing is half-started", async (t) => {
  const { code, output } = await refusedStart(t, {
    HOST: "no such host",
    LOG_LEVEL: "loud",
    REDIS_URL: "http://u:c4nary@x",
  });
  assert.equal(code, 2);
  for (const name of ["HOST", "LOG_LEVEL", "REDIS_URL"]) assert.match(output, new RegExp(`^ {2}${name} `, "m"));
  assert.doesNotMatch(output, /c4nary/);
});

test("an unwritable home is reported in one clear sentence, and nothing is half-started", async (t) => {
  const { code, output } = await refusedStart(t, { BACKPLANE_HOME: "/dev/null/home" });
  assert.equal(code, 1);
  assert.match(output, /Cannot write to BACKPLANE_HOME, \/dev\/null\/home: part of the path is a file\./);
});

test("a damaged database is reported with its file and the way back, is not changed, and nothing is half-started", async (t) => {
  const home = temporaryFolder(t);
  const path = join(home, "backplane.db");
  writeFileSync(path, "garbage ".repeat(1_000));
  const { code, output } = await refusedStart(t, { BACKPLANE_HOME: home });
  assert.equal(code, 1);
  assert.ok(output.includes(`The database ${path} is damaged (file is not a database). Nothing was changed.`), output);
  assert.equal(readFileSync(path, "utf8"), "garbage ".repeat(1_000));
});

// Each of these starts everything once more. In `npm test` a damaged database stops the start in the same way, outage.long.test.ts
// has the sentence about one that does not answer, SIGTERM ends processes that hang, and Ctrl-C ends a start.
if (isLongRun) {
  test("an unreachable database is reported in one clear sentence without its password, and nothing is half-started", async (t) => {
    const { code, output } = await refusedStart(t, { DATABASE_URL: "postgres://u:c4nary@127.0.0.1:1/x" });
    assert.equal(code, 1);
    assert.match(output, /No PostgreSQL answers at DATABASE_URL\. Start it, or correct the address\./);
    assert.doesNotMatch(output, /c4nary/);
  });

  test("Ctrl-C while a process hangs still ends everything within 5 s", async () => {
    await using backplane = await startBackplane();
    for (const name of ["gateway", "viewer"] as const) process.kill(backplane.pidOf(name), "SIGSTOP");
    await assertEnds(backplane, "SIGINT");
  });

  test("with --exit-on-failure a process that does not stay up ends everything with code 1", async (t) => {
    await using backplane = await startBackplane({ args: [CLI, "up", "--exit-on-failure"] });
    const pids = descendantsOf(backplane.program.pid).map(({ pid }) => pid);
    const squatter = createServer((socket) => socket.destroy());
    t.after(() => squatter.close());
    process.kill(backplane.pidOf("viewer"), "SIGKILL");
    await until(() => listens(squatter, backplane.ports.viewer), "the viewer's port was taken");
    assert.equal(await backplane.program.ended(), 1);
    const { output } = backplane.program;
    assert.match(output, new RegExp(`viewer +Port ${backplane.ports.viewer} is in use by another program`));
    assert.match(output, /viewer does not stay up: it was restarted 5 times\. .* --exit-on-failure/);
    assert.deepEqual(pids.filter(isAlive), []);
  });

  test("with DRAIN_DELAY_S platform and gateway serve on after SIGTERM while /ready is 503, then everything ends", async () => {
    await using backplane = await startBackplane({ env: { DRAIN_DELAY_S: "10" } });
    const pids = descendantsOf(backplane.program.pid).map(({ pid }) => pid);
    backplane.program.child.kill("SIGTERM");
    for (const name of ["platform", "gateway"] as const) {
      await until(async () => (await fetch(backplane.url(name, "/ready"))).status === 503, `${name} is not ready`);
      assert.equal((await fetch(backplane.url(name, "/health"))).status, 200, name);
    }
    assert.equal(await backplane.program.ended(), 0);
    assert.deepEqual(pids.filter(isAlive), []);
    for (const name of ["platform", "gateway"] as const) assert.match(backplane.logOf(name), /"msg":"stopped"/);
  });
}

function listens(server: Server, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  server.once("error", () => resolve(false));
  server.listen(port, "127.0.0.1", () => resolve(true));
  return promise;
}
