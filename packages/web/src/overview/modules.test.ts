import assert from "node:assert/strict";
import { test } from "node:test";
import { toModule, toStaleModule } from "./modules.ts";

const platform = {
  name: "platform",
  url: "http://localhost:8790",
  port: 8790,
  state: "running",
  uptimeS: 400,
} as const;
const gateway = { name: "gateway", url: "http://localhost:8795", port: 8795, state: "running", uptimeS: 9 } as const;
const watchdog = { name: "watchdog", url: "http://localhost:8796", port: 8796, state: "running" } as const;

test("a running process shows its task and how long it is up", () => {
  assert.deepEqual(toModule(platform), {
    name: "platform",
    tone: "ok",
    word: "Running",
    line: "For packages, sign-in, workspaces",
    explains: false,
    port: 8790,
    url: "http://localhost:8790",
    gauge: "up 6 min",
    live: true,
  });
});

test("the gateway counts who waits and the watchdog its restarts, before any uptime", () => {
  assert.equal(toModule({ ...gateway, pending: 0 }).gauge, "0 waiting");
  assert.equal(toModule({ ...watchdog, uptimeS: 9, restarts: 1 }).gauge, "1 restart");
  assert.equal(toModule(gateway).gauge, "up 9 s");
});

test("a process that is not ready says why and still shows its gauge", () => {
  const module = toModule({ ...gateway, state: "degraded", pending: 2, detail: "Redis does not answer" });
  assert.deepEqual([module.tone, module.word, module.line], ["warn", "Not ready", "Redis does not answer"]);
  assert.equal(module.gauge, "2 waiting");
  assert.equal(module.live, true);
});

test("a process that does not answer says why, shows no gauge and its contacts are dark", () => {
  const module = toModule({ ...gateway, state: "unreachable", detail: "connection refused" });
  assert.deepEqual([module.tone, module.word, module.line], ["danger", "Not answering", "connection refused"]);
  assert.equal(module.gauge, undefined);
  assert.equal(module.live, false);
});

test("without a reason the task stays", () => {
  assert.equal(toModule({ ...gateway, state: "unreachable" }).line, "For OAuth codes");
});

test("while the platform is silent it does not answer, and of the others only the past is told", () => {
  assert.equal(toStaleModule(platform).word, "Not answering");
  assert.equal(toStaleModule({ ...gateway, pending: 2 }).word, "Was running");
  assert.equal(toStaleModule({ ...gateway, pending: 2 }).tone, "off");
  assert.equal(toStaleModule({ ...gateway, pending: 2 }).gauge, undefined);
});
