import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { newFolder } from "../../archives/folder.suite.ts";
import { sweepHalfUploads } from "./kept-uploads.ts";
import { uploadsFolder } from "./receive-upload.ts";

test("a start removes the half uploads of processes that are gone, and nothing else", async (t) => {
  const home = await newFolder(t);
  const folder = uploadsFolder(home);
  await assert.doesNotReject(sweepHalfUploads(home));
  await mkdir(folder);
  const gone = spawn("true");
  await once(gone, "exit");
  const kept = [`${process.ppid}-a.upload`, `${gone.pid}-notes.txt`];
  for (const name of [...kept, `${gone.pid}-b.upload`, `${process.pid}-c.upload`, "old-name.upload"]) {
    await writeFile(join(folder, name), name);
  }
  await sweepHalfUploads(home);
  assert.deepEqual((await readdir(folder)).sort(), kept.sort());
});
