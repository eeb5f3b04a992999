import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, readFile, stat, writeFile } from "node:fs/promises";
import { it } from "node:test";
import { newProject, open } from "../pastes-under-test.suite.ts";
import { pastesFolder } from "./folder.ts";
import { readPageKey } from "./page-key.ts";
import { readServerFile, removeServerFile, writeServerFile } from "./server-file.ts";

it("commands find the process that serves a project while it runs", async (t) => {
  const project = await newProject(t);
  assert.equal(await readServerFile(project), undefined);
  await (await open(project)).close();
  const server = { url: "http://localhost:8770", secret: "secret", pid: process.pid };
  await writeServerFile(project, server);
  assert.deepEqual(await readServerFile(project), server);
  assert.equal((await stat(pastesFolder(project).server)).mode & 0o777, 0o600);
  await removeServerFile(project);
  assert.equal(await readServerFile(project), undefined);
});

it("a file from a process that has ended, or that came with the project, is ignored", async (t) => {
  const project = await newProject(t);
  await (await open(project)).close();
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"]);
  await once(child, "spawn");
  await writeServerFile(project, { url: "http://localhost:1", secret: "s", pid: child.pid ?? 0 });
  assert.ok(await readServerFile(project));
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.equal(await readServerFile(project), undefined);

  const { server } = pastesFolder(project);
  await writeServerFile(project, { url: "http://localhost:1", secret: "s", pid: process.pid });
  await chmod(server, 0o644);
  assert.equal(await readServerFile(project), undefined);
  await writeFile(server, "{");
  await chmod(server, 0o600);
  assert.equal(await readServerFile(project), undefined);
});

it("the key of page tokens is created once, and again if others could have read it", async (t) => {
  const project = await newProject(t);
  await (await open(project)).close();
  const [one, two] = await Promise.all([readPageKey(project), readPageKey(project)]);
  assert.equal(one.length, 32);
  assert.deepEqual(one, two);
  assert.deepEqual(await readPageKey(project), one);
  await chmod(pastesFolder(project).key, 0o644);
  assert.notDeepEqual(await readPageKey(project), one);
});

it("a private key file that came with the project in an archive gives other tokens than its author's", async (t) => {
  const [project, theirs] = [await newProject(t), await newProject(t)];
  for (const one of [project, theirs]) await (await open(one)).close();
  const known = await readPageKey(theirs);
  await cp(pastesFolder(theirs).key, pastesFolder(project).key, { preserveTimestamps: true });
  assert.equal((await stat(pastesFolder(project).key)).mode & 0o077, 0);
  assert.notDeepEqual(await readPageKey(project), known);
  assert.notDeepEqual(await readPageKey(project), await readFile(pastesFolder(project).key));
});
