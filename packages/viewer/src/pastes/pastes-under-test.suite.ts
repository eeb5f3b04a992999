import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Paste } from "@backplane/contract/viewer";
import type { Images, Pastes, Upload } from "../services.ts";
import { quickDisk } from "./faulty-disk.suite.ts";
import { openPastes, type PastesOptions } from "./pastes.ts";
import { pastesFolder } from "./storage/folder.ts";

export const NOW_MS = Date.UTC(2026, 10, 15, 19, 13, 54, 123);
const HOUR_MS = 3_600_000;

/** Bytes instead of pixels: only names and contents of files matter here. */
export function fakeImages(size = { width: 200, height: 100 }): Images {
  return {
    async prepare(upload) {
      const bytes = await readFile(upload.path);
      const optimized = Buffer.concat([Buffer.from("optimized:"), bytes]);
      await writeFile(`${upload.path}.optimized`, optimized);
      return {
        type: "image/png",
        optimized: { path: `${upload.path}.optimized`, ...size, bytes: optimized.length },
        original: { path: upload.path, width: size.width * 2, height: size.height * 2, bytes: bytes.length },
      };
    },
    async squeeze(path, target) {
      const bytes = (await readFile(path, "utf8")).replace("optimized:", "squeezed:");
      await writeFile(target, bytes);
      return { bytes: bytes.length };
    },
    thumbnail: async (path) => readFile(path),
    close: async () => undefined,
  };
}

export async function newProject(t: Pick<TestContext, "after">): Promise<string> {
  const project = await mkdtemp(join(tmpdir(), "pastes-"));
  t.after(async () => {
    for (const pastes of opened.get(project) ?? []) await pastes.close();
    await rm(project, { recursive: true, force: true });
  });
  return project;
}

const opened = new Map<string, Pastes[]>();

/** Closed at the latest when the project is removed. Squeezing starts only if a test asks for it. */
export async function open(project: string, options: Partial<PastesOptions> = {}): Promise<Pastes> {
  const pastes = await openPastes({
    project,
    images: fakeImages(),
    now: () => NOW_MS,
    random: randomBytes,
    disk: quickDisk,
    ...options,
    limits: { squeezeAfterMs: HOUR_MS, ...options.limits },
  });
  opened.set(project, [...(opened.get(project) ?? []), pastes]);
  return pastes;
}

let uploads = 0;

export async function newUpload(pastes: Pastes, content: string, facts: Partial<Upload> = {}): Promise<Upload> {
  uploads += 1;
  const path = join(pastes.incomingFolder, `upload-${process.pid}-${uploads}`);
  await writeFile(path, content);
  return { path, bytes: content.length, title: null, instance: null, receivedAtMs: NOW_MS, ...facts };
}

export const paste = async (pastes: Pastes, content: string, facts?: Partial<Upload>): Promise<Paste> =>
  pastes.add(await newUpload(pastes, content, facts));

/** The files in the screenshots folder, without our own hidden folder. */
export async function pairFiles(project: string): Promise<string[]> {
  return (await readdir(pastesFolder(project).pairs)).filter((name) => name !== ".pastes").sort();
}

/** The law: both files have one name and their bytes, and there is nothing else but files of others. */
export async function assertPairs(
  project: string,
  pastes: Pastes,
  foreign: readonly string[] = [],
): Promise<Set<string>> {
  const { pastes: all } = pastes.list({ limit: 200 });
  const expected = all.flatMap((one) => [one.optimized, one.original].map(({ path }) => path.split("/").at(-1) ?? ""));
  assert.deepEqual(await pairFiles(project), [...expected, ...foreign].sort());
  const originals = new Set<string>();
  for (const one of all) {
    const size = (file: Paste["optimized"]) => `${file.width}x${file.height}`;
    assert.equal(one.optimized.path, `screenshots/sp/${one.name}-${size(one.optimized)}.png`);
    assert.equal(one.original.path, `screenshots/sp/${one.name}-${size(one.original)}-original.png`);
    const [optimized, original] = await Promise.all(
      [one.optimized, one.original].map(({ path }) => readFile(join(project, path), "utf8")),
    );
    assert.match(optimized ?? "", /^(optimized|squeezed):/);
    assert.equal(optimized?.slice(optimized.indexOf(":") + 1), original, "a pair stays a pair");
    await untilBytesAgree(project, pastes, one.id);
    originals.add(original ?? "");
  }
  assert.equal(originals.size, all.length);
  return originals;
}

/** A smaller file may have replaced the optimized one; the index follows a moment later. */
async function untilBytesAgree(project: string, pastes: Pastes, id: string): Promise<void> {
  for (let left = 200; ; left -= 1) {
    const { optimized } = pastes.get(id) ?? assert.fail("it is no longer there");
    const { size } = await stat(join(project, optimized.path));
    if (size === optimized.bytes) return;
    assert.ok(left > 0, `${optimized.bytes} bytes, it says, and has ${size}`);
    await sleep(25);
  }
}

/** After a start there are no unfinished changes. */
export async function assertTidy(project: string): Promise<void> {
  const { incoming, removed, records } = pastesFolder(project);
  assert.deepEqual(await readdir(incoming), []);
  const names = await readdir(records);
  const live = new Set(names.filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -5)));
  for (const id of await readdir(removed)) {
    assert.ok(!live.has(id), "what can be put back is not there");
    assert.ok((await readdir(join(removed, id))).includes("record.json"));
  }
  assert.deepEqual(
    names.filter((name) => !/\.json$|^(incoming|removed|holder|\.gitignore)$/.test(name)),
    [],
  );
}
