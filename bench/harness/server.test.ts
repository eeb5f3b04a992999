import assert from "node:assert/strict";
import { test } from "node:test";
import { cpuSeconds } from "./cpu-seconds.ts";
import { BenchFault } from "./fault.ts";
import { isRunning, processTree } from "./process-tree.ts";
import { type ServerOptions, startServer } from "./server.ts";

/** A parent that prints its line once its child, which ignores SIGTERM, has started too. */
const parentAndChild = `
  const child = require("node:child_process").spawn(process.execPath,
    ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('child up')"]);
  child.stdout.once("data", () => console.log("both up"));
  process.on("SIGTERM", () => process.exit());`;

const running = (script: string): ServerOptions => ({
  label: "server",
  command: process.execPath,
  args: () => ["-e", script],
  readyLine: /^both up$/,
});

test("a server is up when its line is printed, counts with its children, and ends with them", async () => {
  const server = await startServer(running(parentAndChild));
  const pids = server.pids();
  assert.equal(pids.length, 2);
  assert.ok(cpuSeconds(pids) > 0);
  const family = processTree(pids[0] ?? 0);
  await server[Symbol.asyncDispose]();
  assert.deepEqual(server.pids(), []);
  // A killed child is gone once its new parent has reaped it.
  while (family.some(isRunning)) await new Promise(setImmediate);
});

test("a server that ends during its start is a fault with its last output", async () => {
  await assert.rejects(startServer(running('console.log("no such module")')), (error) => {
    return error instanceof BenchFault && error.message.includes("no such module");
  });
});
