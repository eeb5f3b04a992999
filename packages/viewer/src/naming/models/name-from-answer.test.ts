import assert from "node:assert/strict";
import { test } from "node:test";
import { NAME_PATTERN, VIEWER_LIMITS } from "@backplane/contract/viewer";
import { nameFromAnswer } from "./name-from-answer.ts";

const NAMES: [answer: string, name: string][] = [
  ["docker-build-failed", "docker-build-failed"],
  ["  Docker Build Failed.\n", "docker-build-failed"],
  ["`docker_build_failed.png`", "docker-build-failed"],
  ['"docker-build-failed"', "docker-build-failed"],
  ["Screenshot of Docker Build", "docker-build"],
  ["docker-build-screenshot", "docker-build"],
  ["Sure, here is a name:\n\n```text\ndocker-build-failed\n```", "docker-build-failed"],
  ["<think>A window. I cannot see more.</think>\nlogin-dialog", "login-dialog"],
  ["Système: erreur réseau", "systeme-erreur-reseau"],
  ["unable-to-connect-dialog", "unable-to-connect-dialog"],
];

const NO_NAMES = [
  "",
  "dashboard",
  "I'm sorry, I cannot help with that.",
  "I cannot help with that",
  "Sorry but this is not possible",
  "I am unable to see the image",
  "Unable to view image",
  "The screenshot shows a login form",
  "The name could be login-form, or maybe sign-in.",
  "login-form\nsign-in-form",
  "../../etc/passwd\u0000x",
  "<script>alert(1)</script>",
  '{"name":"login-form"}',
  "sp-20261115-101500-001",
  "0049 170 1234567",
  "登录 错误",
  "key-sk-proj-abcdEFGH1234567890abcdEFGH1234567890",
  "token ghp_16C7e42F292c6912E7710c838347Ae178B4a",
  "word ".repeat(20),
  "x".repeat(3_000),
];

for (const [answer, name] of NAMES) {
  test(`${JSON.stringify(answer)} gives ${name}`, () => assert.equal(nameFromAnswer(answer), name));
}

for (const answer of NO_NAMES) {
  test(`${JSON.stringify(answer.slice(0, 60))} is not a name`, () => assert.equal(nameFromAnswer(answer), undefined));
}

test("names are [a-z0-9-], at most 60 characters, cut between words", () => {
  const name = nameFromAnswer("international configuration administration documentation verification screen") ?? "";
  assert.match(name, new RegExp(NAME_PATTERN));
  assert.ok(name.length <= VIEWER_LIMITS.maxNameCharacters);
  assert.equal(name, "international-configuration-administration-documentation");
});
