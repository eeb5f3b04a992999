import assert from "node:assert/strict";
import { test } from "node:test";
import { count, engines, headline, inHome, up } from "./words.ts";

const states = (...list: ("running" | "degraded" | "unreachable")[]) => list.map((state) => ({ state }));

test("four running processes are told in one word", () => {
  assert.equal(headline(states("running", "running", "running", "running")), "All four processes are running");
});

test("a process that is not ready or does not answer is not counted as running", () => {
  assert.equal(headline(states("running", "degraded", "running", "running")), "3 of 4 processes are running");
  assert.equal(headline(states("running", "unreachable", "degraded", "running")), "2 of 4 processes are running");
  assert.equal(headline(states("running", "unreachable", "unreachable", "unreachable")), "1 of 4 processes is running");
  assert.equal(headline(states("degraded", "unreachable", "unreachable", "unreachable")), "No process is running");
});

test("the engines are named as people name them", () => {
  assert.equal(engines({ database: "sqlite", bus: "in-process" }), "SQLite and in-process bus");
  assert.equal(engines({ database: "postgres", bus: "redis" }), "PostgreSQL and Redis");
  assert.equal(engines({ database: "sqlite", bus: "redis" }), "SQLite and Redis");
});

test("an uptime is told in its largest full unit", () => {
  assert.equal(up(0.4), "up 0 s");
  assert.equal(up(59.9), "up 59 s");
  assert.equal(up(60), "up 1 min");
  assert.equal(up(6 * 60 + 50), "up 6 min");
  assert.equal(up(3_600), "up 1 h");
  assert.equal(up(47 * 3_600), "up 47 h");
  assert.equal(up(48 * 3_600), "up 2 days");
});

test("one thing is counted in the singular", () => {
  assert.equal(count(0, "restart", "restarts"), "0 restarts");
  assert.equal(count(1, "restart", "restarts"), "1 restart");
  assert.equal(count(2, "restart", "restarts"), "2 restarts");
});

test("a file in the home is spelled as that system spells paths", () => {
  assert.equal(inHome(".backplane/", "owner.json"), ".backplane/owner.json");
  assert.equal(inHome("/srv/backplane", "owner.json"), "/srv/backplane/owner.json");
  assert.equal(inHome("C:\\backplane", "owner.json"), "C:\\backplane\\owner.json");
});
