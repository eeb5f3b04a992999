import assert from "node:assert/strict";
import { test } from "node:test";
import { engines, headline, inHome, toModule, toStaleModule, up } from "./processes.ts";

const states = (...list: ("running" | "degraded" | "unreachable")[]) => list.map((state) => ({ state }));

test("the headline counts in words when all processes run", () => {
  assert.equal(headline(states("running", "running", "running", "running")), "All four processes are running");
});

test("a process that is not ready or does not answer is not counted as running", () => {
  assert.equal(headline(states("running", "degraded", "running", "running")), "3 of 4 processes are running");
  assert.equal(headline(states("running", "unreachable", "degraded", "running")), "2 of 4 processes are running");
  assert.equal(headline(states("running", "unreachable", "unreachable", "unreachable")), "1 of 4 processes is running");
  assert.equal(headline(states("degraded", "unreachable", "unreachable", "unreachable")), "No process is running");
});

test("the engines have their usual names", () => {
  assert.equal(engines({ database: "sqlite", bus: "in-process" }), "SQLite and in-process bus");
  assert.equal(engines({ database: "postgres", bus: "redis" }), "PostgreSQL and Redis");
  assert.equal(engines({ database: "sqlite", bus: "redis" }), "SQLite and Redis");
});

test("an uptime is shown in its largest full unit", () => {
  assert.equal(up(0.4), "up 0 s");
  assert.equal(up(59.9), "up 59 s");
  assert.equal(up(60), "up 1 min");
  assert.equal(up(6 * 60 + 50), "up 6 min");
  assert.equal(up(3_600), "up 1 h");
  assert.equal(up(47 * 3_600), "up 47 h");
  assert.equal(up(48 * 3_600), "up 2 days");
});

test("a path in the data folder uses the separator of that system", () => {
  assert.equal(inHome(".backplane/", "owner.json"), ".backplane/owner.json");
  assert.equal(inHome("/srv/backplane", "owner.json"), "/srv/backplane/owner.json");
  assert.equal(inHome("C:\\backplane", "owner.json"), "C:\\backplane\\owner.json");
});

const platform = {
  name: "platform",
  url: "http://localhost:8790",
  port: 8790,
  state: "running",
  uptimeS: 400,
} as const;
const gateway = { name: "gateway", url: "http://localhost:8795", port: 8795, state: "running", uptimeS: 9 } as const;
const watchdog = { name: "watchdog", url: "http://localhost:8796", port: 8796, state: "running" } as const;

test("a running process shows its task and its uptime", () => {
  assert.deepEqual(toModule(platform), {
    name: "platform",
    tone: "ok",
    word: "Running",
    line: "Packages, sign-in, workspaces",
    explains: false,
    port: 8790,
    url: "http://localhost:8790",
    gauge: "up 6 min",
    live: true,
  });
});

test("the gateway shows waiting applications and the watchdog its restarts instead of an uptime", () => {
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
  assert.equal(toModule({ ...gateway, state: "unreachable" }).line, "Routes OAuth codes");
});

test("while the platform does not answer, the others show their last known state", () => {
  assert.equal(toStaleModule(platform).word, "Not answering");
  assert.equal(toStaleModule({ ...gateway, pending: 2 }).word, "Was running");
  assert.equal(toStaleModule({ ...gateway, pending: 2 }).tone, "off");
  assert.equal(toStaleModule({ ...gateway, pending: 2 }).gauge, undefined);
});
