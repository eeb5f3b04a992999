import assert from "node:assert/strict";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { VIEWER_LIMITS } from "@backplane/contract/viewer";
import { createPageTokens } from "./page-tokens.ts";

const KEY = Buffer.alloc(32, 1);

function newProject(t: TestContext): string {
  const project = mkdtempSync(join(tmpdir(), "project-"));
  t.after(() => rmSync(project, { recursive: true }));
  return project;
}

test("a token has v1, the project, its expiry and a signature; it is valid for seven days", (t) => {
  let nowMs = 1_000;
  const tokens = createPageTokens({ project: newProject(t), key: KEY, now: () => nowMs });
  const token = tokens.make();
  assert.match(token, new RegExp(`^v1\\.[0-9a-f]{16}\\.${1_000 + VIEWER_LIMITS.pageTokenLifeMs}\\.[\\w-]{43}$`));
  assert.equal(tokens.check(token), "ok");
  nowMs += VIEWER_LIMITS.pageTokenLifeMs - 1;
  assert.equal(tokens.check(token), "ok");
  nowMs += 1;
  assert.equal(tokens.check(token), "expired");
});

test("a token with any change is wrong", (t) => {
  const tokens = createPageTokens({ project: newProject(t), key: KEY, now: () => 1_000 });
  const token = tokens.make();
  const [version, project, expires, seal = ""] = token.split(".");
  const flipped = (seal.startsWith("A") ? "B" : "A") + seal.slice(1);
  for (const changed of [
    [version, project, Number(expires) + 1, seal].join("."),
    [version, project, `0${expires}`, seal].join("."),
    [version, project, expires, flipped].join("."),
    [version, project, expires, ""].join("."),
    [version, project, expires, seal.slice(1)].join("."),
    ["v2", project, expires, seal].join("."),
    `${token}x`,
    ` ${token}`,
    "",
    "v1",
    "x".repeat(10_000),
  ]) {
    assert.equal(tokens.check(changed), "wrong", changed.slice(0, 100));
  }
});

test("a token for another project is told apart from one that was signed with another key", (t) => {
  const project = newProject(t);
  const options = { project, key: KEY, now: () => 1_000 };
  const tokens = createPageTokens(options);
  assert.equal(tokens.check(createPageTokens({ ...options, project: newProject(t) }).make()), "other-project");
  assert.equal(tokens.check(createPageTokens({ ...options, key: Buffer.alloc(32, 2) }).make()), "wrong");
});

test("a project is the same under any path, and after a restart", (t) => {
  const project = newProject(t);
  const link = join(newProject(t), "link");
  symlinkSync(project, link);
  const token = createPageTokens({ project, key: KEY, now: () => 1_000 }).make();
  assert.equal(createPageTokens({ project: link, key: KEY, now: () => 1_000 }).check(token), "ok");
});
