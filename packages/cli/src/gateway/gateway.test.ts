import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposableSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { WatchdogSnapshot } from "@backplane/contract/gateway";
import { runLineHere } from "../run-here.suite.ts";
import { RUNNING, STOPPED } from "./snapshot.suite.ts";

const BIN = fileURLToPath(new URL("../../bin/backplane.js", import.meta.url));

type Reply = { status?: number; body: unknown };

/** A server that answers as the watchdog does. */
async function answerAs(t: TestContext, reply: (request: string) => Reply) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const line = `${request.method} ${request.url}`;
    asked.push(line);
    const { status = 200, body } = reply(line);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, port: (server.address() as AddressInfo).port };
}

/** As a process of its own, as people run it. */
async function runProcess(args: readonly string[], port: number | string, onOutput?: (kill: () => void) => void) {
  using folder = mkdtempDisposableSync(join(tmpdir(), "cli-"));
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [BIN, "gateway", ...args], {
    cwd: folder.path,
    env: { PATH, HOME, WATCHDOG_PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const texts = [child.stdout, child.stderr].map(async (stream) => {
    let text = "";
    for await (const chunk of stream.setEncoding("utf8")) {
      text += chunk;
      onOutput?.(() => child.kill("SIGINT"));
    }
    return text;
  });
  const [[code], stdout = "", stderr = ""] = await Promise.all([once(child, "close"), ...texts]);
  return { code, stdout, stderr };
}

/** In this process, which takes a tenth of the time. */
async function run(args: readonly string[], port: number | string) {
  using folder = mkdtempDisposableSync(join(tmpdir(), "cli-"));
  const where = { cwd: folder.path, env: { WATCHDOG_PORT: String(port) } };
  const { status: code, ...written } = await runLineHere(where, ["gateway", ...args]);
  return { code, ...written };
}

const always = (snapshot: WatchdogSnapshot) => () => ({ body: snapshot });

test("status prints one fact per line; exit code 0 while the gateway runs", async (t) => {
  const { port, asked } = await answerAs(t, always(RUNNING));
  const { code, stdout } = await runProcess(["status"], port);
  assert.equal(code, 0);
  assert.match(stdout, /^● Gateway is running\n {2}Process 48213, up 6 min, 2 applications waiting\n {2}Last check /);
  assert.match(stdout, new RegExp(`Page +http://localhost:${port}\\n$`));
  assert.deepEqual(asked, ["GET /snapshot"]);
});

test("status of a stopped gateway says how to start it; exit code 1", async (t) => {
  const { port } = await answerAs(t, always(STOPPED));
  const { code, stdout } = await run(["status"], port);
  assert.equal(code, 1);
  assert.match(stdout, /^○ Gateway is stopped\n[\s\S]*Start it with: backplane gateway start\n$/);
});

test("status as JSON is the watchdog's status", async (t) => {
  const { port, asked } = await answerAs(t, always(RUNNING));
  const { code, stdout } = await run(["status", "--json"], port);
  assert.deepEqual([code, JSON.parse(stdout).gateway], [0, RUNNING.gateway]);
  assert.deepEqual(asked, ["GET /status"]);
});

for (const [name, snapshot] of [
  ["start", RUNNING],
  ["restart", RUNNING],
  ["stop", STOPPED],
] as const) {
  test(`${name} calls the watchdog and prints the state afterwards; exit code 0`, async (t) => {
    const { port, asked } = await answerAs(t, always(snapshot));
    const { code, stdout } = await run([name], port);
    assert.equal(code, 0);
    assert.ok(stdout.includes(snapshot.summary.title));
    assert.deepEqual(asked, [`POST /${name}`, "GET /snapshot"]);
    const json = await run([name, "--json"], port);
    assert.deepEqual([json.code, JSON.parse(json.stdout).gateway], [0, snapshot.gateway]);
  });
}

test("a start that another command undid has failed; exit code 1", async (t) => {
  const { port } = await answerAs(t, always(STOPPED));
  assert.equal((await run(["start"], port)).code, 1);
});

test("a failed start says why; exit code 1", async (t) => {
  const problem = { code: "gateway-not-started", title: "The gateway did not start", detail: "Port 8795 is in use." };
  const { port } = await answerAs(t, () => ({ status: 503, body: problem }));
  const text = await run(["start"], port);
  assert.deepEqual([text.code, text.stderr], [1, "■ The gateway did not start. Port 8795 is in use.\n"]);
  const json = await run(["start", "--json"], port);
  assert.equal(json.code, 1);
  assert.deepEqual(JSON.parse(json.stdout), {
    error: { code: "gateway-not-started", message: "The gateway did not start. Port 8795 is in use." },
  });
});

test("every command prints the next step when the watchdog does not answer; exit code 3", async () => {
  for (const name of ["status", "start", "stop", "restart", "watch"]) {
    const { code, stdout, stderr } = await run([name], 1);
    assert.deepEqual([code, stdout], [3, ""], name);
    assert.equal(stderr, "■ The watchdog does not answer at http://localhost:1. Start everything with: backplane up\n");
  }
  const { code, stdout } = await run(["status", "--json"], 1);
  assert.deepEqual([code, JSON.parse(stdout).error.code], [3, "watchdog-unreachable"]);
});

test("another program on that port is not taken for the watchdog; exit code 3", async (t) => {
  for (const reply of [
    { body: "<html>" },
    { status: 404, body: { code: "not-found", title: "There is nothing at this address" } },
    { status: 404, body: {} },
    { body: "null" },
  ]) {
    const { port } = await answerAs(t, () => reply);
    const { code, stderr } = await run(["status"], port);
    assert.equal(code, 3);
    assert.match(stderr, /is not the watchdog\. Set WATCHDOG_PORT/);
  }
});

test("wrong settings and wrong usage are exit code 2", async () => {
  const settings = await run(["status"], "x");
  assert.deepEqual([settings.code, settings.stderr.startsWith('■ WATCHDOG_PORT is "x"')], [2, true]);
  for (const args of [["stats"], ["status", "now"], ["start", "--jsn"]]) {
    assert.equal((await run(args, 1)).code, 2, args.join(" "));
  }
});

test("the help of each command names the exit codes", async () => {
  for (const name of ["status", "start", "stop", "restart", "watch"]) {
    const { code, stdout } = await run([name, "--help"], 1);
    assert.equal(code, 0);
    assert.match(stdout, /--json/);
    assert.match(stdout, /Exit codes: 0 .*, 1 .*, 2 .*, 3 /);
  }
});

test("watch prints one line per change to a pipe, and Ctrl-C ends it with 0", async (t) => {
  let asked = 0;
  const { port } = await answerAs(t, () => {
    asked += 1;
    const events = [{ at: "2026-08-08T12:00:01.000Z", says: "Gateway stopped" }, ...RUNNING.events];
    return { body: asked === 1 ? RUNNING : { ...STOPPED, events } };
  });
  let seen = 0;
  const { code, stdout } = await runProcess(["watch"], port, (kill) => {
    seen += 1;
    if (seen === 2) kill();
  });
  assert.equal(code, 0);
  assert.match(stdout, /^\d\d:\d\d:\d\d {2}Gateway is running: .*\n\d\d:\d\d:\d\d {2}Gateway stopped\n$/);
});
