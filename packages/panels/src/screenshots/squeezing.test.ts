import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import sharp from "sharp";
import { until } from "../../../../scripts/testing/until.ts";
import type { Usage } from "../services.ts";
import { finishImage } from "./finish-image.ts";
import { openShotFolder } from "./shot-folder.ts";
import { createSqueezing } from "./squeezing.ts";

async function saveOne(t: TestContext) {
  const project = await mkdtemp(join(tmpdir(), "backplane-squeezing-"));
  t.after(() => rm(project, { recursive: true, force: true }));
  const drawn = await sharp({ create: { width: 400, height: 300, channels: 3, background: "#aa0000" } })
    .png()
    .toBuffer();
  const { bytes } = await finishImage(drawn, 0);
  const folder = openShotFolder(project);
  const file = await folder.save(bytes, { name: "red", kind: "panel", nowMs: 0, width: 400, height: 300 });
  const changes: number[] = [];
  const usage = { changing: async (_owner: string, by: number) => void changes.push(by) } as unknown as Usage;
  const faults: unknown[] = [];
  const squeezing = createSqueezing({ usage, onFault: (fault) => void faults.push(fault), quietMs: 1 });
  t.after(squeezing.close);
  return { folder, file, path: join(project, "screenshots", file), bytes, changes, faults, squeezing };
}

test("a saved screenshot gets smaller when nobody waits, with the same pixels and time, and counts less", async (t) => {
  const { folder, file, path, bytes, changes, faults, squeezing } = await saveOne(t);
  const before = await folder.look(file);
  await squeezing.add("ada", folder, file);
  await until("it is smaller", () => changes.length === 1);
  const squeezed = await readFile(path);
  assert.ok(squeezed.length < bytes.length);
  assert.deepEqual(changes, [squeezed.length - bytes.length]);
  assert.ok((await sharp(squeezed).raw().toBuffer()).equals(await sharp(bytes).raw().toBuffer()));
  assert.equal((await folder.look(file))?.mtime.getTime(), before?.mtime.getTime());
  assert.deepEqual(await readdir(join(path, "..")), [file]);
  assert.deepEqual(faults, []);
});

test("a file that was written or deleted meanwhile is left as it is", async (t) => {
  const { folder, file, path, bytes } = await saveOne(t);
  const seen = await folder.look(file);
  assert.ok(seen);
  const shrink = (meanwhile: () => Promise<void>) =>
    folder.shrink(file, seen, async () => {
      await meanwhile();
      return Buffer.from("less");
    });
  assert.equal(await shrink(() => writeFile(path, "mine")), 0);
  assert.equal(await readFile(path, "utf8"), "mine");
  assert.equal(await shrink(async () => assert.fail("it is another file")), 0);
  await writeFile(path, bytes);
  const again = await folder.look(file);
  assert.ok(again);
  assert.equal(await folder.shrink(file, again, () => rm(path).then(() => Buffer.from("less"))), 0);
  assert.equal(await folder.look(file), undefined);
});
