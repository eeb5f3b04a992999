import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import type { Workspace } from "../services.ts";
import { createFiles, listFiles } from "./files.ts";
import { openFilesUnderTest } from "./files-under-test.suite.ts";

const tagOf = (text: string): string => `"${createHash("sha256").update(text).digest("hex")}"`;

test("names that lead out of the project, hide or deceive are refused, and change nothing", async (t) => {
  const { ask, create, folder, projects } = await openFilesUnderTest(t);
  writeFileSync(join(projects, "secret"), "canary");
  const names = [
    "/..%2f..%2fsecret",
    "/a/..%2f..%2f..%2fsecret",
    "/%2fetc%2fpasswd",
    "/..%5csecret",
    "/a%00b",
    "/.env",
    "/a%0ab",
    "/nul",
    "/a.",
    "/%E2%80%AEa",
    "/a//b",
    "/a%20",
  ];
  for (const name of names) {
    for (const answer of [
      await ask(name),
      await ask(name, { ...create, body: "x" }),
      await ask(name, { method: "DELETE", headers: { "if-match": "*" } }),
    ]) {
      const body = (await answer.json()) as { code: string; errors: { pointer: string }[] };
      assert.deepEqual([answer.status, body.code, body.errors[0]?.pointer], [422, "file-name-refused", "/path"], name);
    }
  }
  assert.deepEqual(readdirSync(folder), []);
});

test("a path of 500 characters works, however long it is in an address", async (t) => {
  const { ask, create } = await openFilesUnderTest(t);
  const path = [..."äöüß"].map((letter) => letter.repeat(124)).join("/");
  const address = `/${path.split("/").map(encodeURIComponent).join("/")}`;
  assert.equal((await ask(address, { ...create, body: "deep" })).status, 201);
  assert.equal(await (await ask(address)).text(), "deep");
});

test("symbolic links are not followed: not out of the project, nor inside it", async (t) => {
  const { ask, create, folder, projects } = await openFilesUnderTest(t);
  const outside = join(projects, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "secret"), "canary");
  writeFileSync(join(folder, "plain"), "plain");
  symlinkSync(join(outside, "secret"), join(folder, "link"));
  symlinkSync(outside, join(folder, "way"));
  symlinkSync(join(folder, "plain"), join(folder, "inner"));
  symlinkSync("nowhere", join(folder, "broken"));
  for (const path of ["/link", "/way/secret", "/inner", "/broken"]) {
    assert.equal((await ask(path)).status, 422, path);
    assert.equal((await ask(path, { method: "PUT", headers: { "if-match": "*" }, body: "x" })).status, 422, path);
    assert.equal((await ask(path, { method: "DELETE", headers: { "if-match": "*" } })).status, 422, path);
  }
  assert.equal((await ask("/way/new", { ...create, body: "x" })).status, 422);
  assert.deepEqual(readdirSync(outside), ["secret"]);
  assert.equal(readFileSync(join(outside, "secret"), "utf8"), "canary");
  assert.deepEqual(
    (await listFiles(folder)).files.map(({ path }) => path),
    ["plain"],
  );
});

test("a link that appears while a file is read never shows anything outside the project", async (t) => {
  const { folder, projects } = await openFilesUnderTest(t);
  const outside = join(projects, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "a.txt"), "canary");
  mkdirSync(join(folder, "real"));
  writeFileSync(join(folder, "real", "a.txt"), "plain");
  const files = createFiles(projects);
  const { rename, symlink, unlink } = await import("node:fs/promises");
  let done = false;
  const swapping = (async () => {
    while (!done) {
      await rename(join(folder, "real"), join(folder, "kept"));
      await symlink(outside, join(folder, "real"));
      await unlink(join(folder, "real"));
      await rename(join(folder, "kept"), join(folder, "real"));
    }
  })();
  const seen = new Set<string>();
  for (let turn = 0; turn < 500; turn += 1) {
    await using found = await files.open({ ownerId: "id-ann", folder: "rover" }, "real/a.txt").catch(() => undefined);
    seen.add(found?.sha256 ?? "nothing");
  }
  done = true;
  await swapping;
  assert.equal(seen.has(createHash("sha256").update("canary").digest("hex")), false);
});

test("a pipe, a folder and a path through a file are not files, and never block a request", async (t) => {
  const { ask, create, folder } = await openFilesUnderTest(t);
  const makePipe = "mkfifo";
  execFileSync(makePipe, [join(folder, "pipe")]);
  mkdirSync(join(folder, "folder"));
  writeFileSync(join(folder, "file"), "x");
  for (const path of ["/pipe", "/folder", "/file/below"]) assert.equal((await ask(path)).status, 404, path);
  for (const path of ["/pipe", "/folder", "/file/below"]) {
    assert.equal((await ask(path, { ...create, body: "x" })).status, 422, path);
  }
});

test("exactly one of concurrent saves with the same If-Match wins, also between instances", async (t) => {
  const { ask, folder } = await openFilesUnderTest(t, { instances: 2 });
  let text = "0";
  writeFileSync(join(folder, "a.txt"), text);
  for (let round = 1; round <= 10; round += 1) {
    const writers = Array.from({ length: 12 }, (_, index) => `${round}-${index}`);
    const headers = { "if-match": tagOf(text) };
    const answers = await Promise.all(
      writers.map((body, index) => ask("/a.txt", { method: "PUT", headers, body }, index % 2)),
    );
    const winners = writers.filter((_, index) => answers[index]?.status === 200);
    assert.equal(winners.length, 1);
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 412]));
    text = winners[0] ?? "";
    assert.equal(readFileSync(join(folder, "a.txt"), "utf8"), text);
  }
});

test("exactly one of several requests that create one file wins, whatever the case of its name", async (t) => {
  const { ask, create, folder } = await openFilesUnderTest(t, { instances: 2 });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => ask("/deep/er/new.txt", { ...create, body: `${index}` }, index % 2)),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  assert.equal(answers.filter(({ status }) => status === 412).length, 19);
  assert.deepEqual(readdirSync(join(folder, "deep", "er")), ["new.txt"]);
});

test("a reader sees a whole file while it is saved over and over", async (t) => {
  const { ask, folder } = await openFilesUnderTest(t);
  const text = (letter: string) => letter.repeat(300_000);
  writeFileSync(join(folder, "a.txt"), text("a"));
  const saving = (async () => {
    for (const letter of "bcdefghij")
      await ask("/a.txt", { method: "PUT", headers: { "if-match": "*" }, body: text(letter) });
  })();
  for (let turn = 0; turn < 15; turn += 1) {
    const read = await ask("/a.txt");
    const got = await read.text();
    assert.equal(got, text(got[0] ?? ""));
    assert.equal(read.headers.get("etag"), tagOf(got));
  }
  await saving;
});

test("a half-written file that a process left behind is removed by the next save", async (t) => {
  const { ask, create, folder } = await openFilesUnderTest(t);
  const part = join(folder, ".backplane-00000000-0000-4000-8000-000000000000.part");
  const young = join(folder, ".backplane-00000000-0000-4000-8000-000000000001.part");
  for (const path of [part, young]) writeFileSync(path, "half");
  utimesSync(part, 1, 1);
  await ask("/a.txt", { ...create, body: "x" });
  assert.deepEqual(readdirSync(folder).sort(), [young.slice(folder.length + 1), "a.txt"]);
});

test("a list ends at its limits, with the first files in order", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "project-"));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "b"));
  for (const path of ["a", "b/1", "b/2", "c"]) writeFileSync(join(folder, path), "");
  const paths = async (limits: { maxFilesListed: number; maxNamesSeen: number }) => {
    const { files, truncated } = await listFiles(folder, limits);
    return [files.map(({ path }) => path), truncated];
  };
  assert.deepEqual(await paths({ maxFilesListed: 4, maxNamesSeen: 100 }), [["a", "b/1", "b/2", "c"], false]);
  assert.deepEqual(await paths({ maxFilesListed: 2, maxNamesSeen: 100 }), [["a", "b/1"], true]);
  assert.deepEqual(await paths({ maxFilesListed: 9, maxNamesSeen: 2 }), [["a"], true]);
});

test("every file that can be saved counts for the quota of its owner, also those that a list leaves out", async (t) => {
  const projects = mkdtempSync(join(tmpdir(), "counted-"));
  t.after(() => rmSync(projects, { recursive: true, force: true }));
  const files = createFiles(projects);
  const workspace = { ownerId: "ada", folder: "rover" } as Workspace;
  const folder = files.folderOf(workspace);
  mkdirSync(folder, { recursive: true });
  for (let n = 0; n <= PANELS_LIMITS.maxFilesListed; n += 1) writeFileSync(join(folder, `${n}.txt`), "1");
  await files.write(workspace, "z.bin", Buffer.alloc(1_000));
  assert.equal(await files.sizeOf("ada"), PANELS_LIMITS.maxFilesListed + 1 + 1_000);
  for (const name of ["node_modules/a.bin", "src/Node_Modules/a.bin"]) {
    await assert.rejects(files.write(workspace, name, Buffer.alloc(1)), /node_modules/);
  }
});
