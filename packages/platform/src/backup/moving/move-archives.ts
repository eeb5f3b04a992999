import { createHash } from "node:crypto";
import { createWriteStream, rmSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { openSnapshot } from "@backplane/kit/database";
import { makePrivateFolder } from "@backplane/kit/folder";
import type { ArchiveSettings, Settings } from "@backplane/kit/settings";
import { type BlobStore, openBlobStore } from "@backplane/registry/blobs";
import { BackupFault } from "../format/reader.ts";
import { NotEmpty } from "../restoring/restore.ts";
import { refuseRunning } from "./move-database.ts";

export type MoveArchivesOptions = {
  settings: Pick<Settings, "home" | "databaseUrl" | "archives">;
  to: ArchiveSettings;
  nowMs: number;
  fetch: typeof globalThis.fetch;
  onArchive?: (count: number) => void;
};

export type MovedArchives = { count: number; bytes: number };

const STAGE = ".move-archives";

/**
 * Copies every archive into another store and reads it back there. Call only while no platform runs; the source stays as it
 * is. After an interruption it goes on: archives never change, so those that are there are only compared.
 */
export async function moveArchives(options: MoveArchivesOptions): Promise<MovedArchives> {
  const { settings, to, nowMs, fetch, onArchive } = options;
  const { home, databaseUrl: url } = settings;
  if (url !== undefined) {
    await using snapshot = await openSnapshot({ url, home });
    await refuseRunning(snapshot, nowMs);
  }
  const [source, target] = await Promise.all([openBlobStore(settings.archives, fetch), openBlobStore(to, fetch)]);
  const there = new Map<string, number>();
  for await (const { key, size } of source.list("")) there.set(key, size);
  const done = new Map<string, number>();
  for await (const { key, size } of target.list("")) {
    if (!there.has(key))
      throw new NotEmpty(`The target has ${key}, which is not in the source. Use an empty folder or another prefix.`);
    done.set(key, size);
  }
  const stage = join(home, STAGE);
  makePrivateFolder(stage);
  const moved: MovedArchives = { count: 0, bytes: 0 };
  try {
    for (const [key, size] of there) {
      if (done.get(key) !== size || (await digestIn(source, key)) !== (await digestIn(target, key)))
        await copy(source, target, key, join(stage, "archive"));
      moved.count += 1;
      moved.bytes += size;
      onArchive?.(moved.count);
    }
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
  return moved;
}

async function copy(source: BlobStore, target: BlobStore, key: string, temporary: string): Promise<void> {
  await pipeline(await streamIn(source, key), createWriteStream(temporary, { mode: 0o600 }));
  await target.putFile(key, temporary);
  rmSync(temporary);
  if ((await digestIn(source, key)) !== (await digestIn(target, key)))
    throw new BackupFault(`${key} is not the same in the target. Check the store, then move again.`);
}

async function streamIn(store: BlobStore, key: string): Promise<Readable> {
  const found = await store.read(key);
  if (!found) throw new BackupFault(`${key} has been removed meanwhile. Stop every platform, then move again.`);
  return found.stream;
}

async function digestIn(store: BlobStore, key: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(await streamIn(store, key), hash);
  return hash.digest("hex");
}
