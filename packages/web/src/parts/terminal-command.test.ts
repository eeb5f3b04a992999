import assert from "node:assert/strict";
import { test } from "node:test";
import { commandAt } from "./terminal-command.ts";

test("a command names the address, unless it is the usual one", () => {
  const usual = { name: "backplane", address: "http://localhost:8790" };
  assert.equal(commandAt(usual, "pkg publish"), "backplane pkg publish");
  const clone = { name: "/home/ada/clone/backplane", address: "https://parts.example.org" };
  assert.equal(commandAt(clone, "login"), "/home/ada/clone/backplane login --url https://parts.example.org");
});
