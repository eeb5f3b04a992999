import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { ManagerFault } from "@backplane/registry/manager";
import { explainForCli } from "./explain-error.ts";

test("the first line says what happened, the others what to do next, with the option that overrides it", () => {
  const fault = new ManagerFault("not-compatible", "a 1.0 does not work here: it needs 9.1. Choose another version.");
  assert.deepEqual(explainForCli(fault), {
    code: "not-compatible",
    message: "a 1.0 does not work here: it needs 9.1.\nChoose another version.\n--force installs it anyway.",
    exit: 6,
  });
});

test("text from a repository cannot add a line", () => {
  const { message } = explainForCli(new ManagerFault("wrong-sha256", "evil\n● all is well\x1b[2K is wrong."));
  assert.equal(message, "evil ● all is well [2K is wrong.");
});

test("a disk error is reported with the path, without a stack", async () => {
  const folder = join(fileURLToPath(import.meta.url), "folder");
  const error = await mkdir(folder).catch((thrown: unknown) => thrown);
  const { code, message, exit } = explainForCli(error);
  assert.deepEqual([code, exit], ["disk", 1]);
  assert.ok(message.startsWith(`This was not done: the disk reports ENOTDIR at ${folder}.\n`));
});

test("a bug is thrown", () => {
  assert.throws(() => explainForCli(new TypeError("ours")), TypeError);
});
