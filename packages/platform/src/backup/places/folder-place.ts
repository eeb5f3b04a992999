import { randomUUID } from "node:crypto";
import { createReadStream, existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { syncFolder } from "@backplane/kit/atomic-file";
import { makePrivateFolder } from "@backplane/kit/folder";
import { isProcessAlive } from "@backplane/kit/process-alive";
import type { Sink } from "../format/block-writer.ts";
import { BackupFault } from "../format/reader.ts";
import { BACKUP_NAME } from "../taking/take.ts";

/** A backup at a place. */
export type Stored = { name: string; place: string; bytes: number; modifiedMs: number };

/** Where backups are kept. */
export type Place = {
  /** Bytes become a backup of this name when the sink is finished, and not before. */
  write(name: string): Promise<{ place: string; sink: Sink }>;
  /** The newest first. */
  list(): Promise<Stored[]>;
  remove(name: string): Promise<void>;
  /** Removes what killed backups have left. */
  sweep(nowMs: number): Promise<void>;
};

const PARTIAL = ".partial";
/** A leftover of another machine is removed when nobody has written to it for so long. */
const LEFTOVER_LIFE_MS = 3_600_000;

/** Written beside its name, flushed, then renamed: a process that is killed leaves nothing that looks like a backup. */
export async function fileSink(path: string): Promise<Sink> {
  makePrivateFolder(dirname(path));
  if (existsSync(path)) throw new BackupFault(`${path} exists already. Choose another name, or a folder.`);
  const partial = join(
    dirname(path),
    `.${basename(path)}.${hostname()}.${process.pid}.${randomUUID().slice(0, 8)}${PARTIAL}`,
  );
  const file = await open(partial, "wx", 0o600);
  return {
    async write(bytes) {
      for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
    },
    async finish() {
      await file.sync();
      await file.close();
      await rename(partial, path);
      await syncFolder(dirname(path));
    },
    async abandon() {
      await file.close().catch(() => {});
      rmSync(partial, { force: true });
    },
  };
}

/** Removes what killed backups left in a folder. */
export function sweepLeftovers(folder: string, nowMs: number): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(".backplane-") || !name.endsWith(PARTIAL)) continue;
    const [pid, random] = name.slice(0, -PARTIAL.length).split(".").slice(-2);
    const path = join(folder, name);
    const isOfThisMachine = name.endsWith(`.${hostname()}.${pid}.${random}${PARTIAL}`);
    const isDead = isOfThisMachine && !isProcessAlive(Number(pid));
    const mtimeMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? nowMs;
    if (isDead || nowMs - mtimeMs > LEFTOVER_LIFE_MS) rmSync(path, { force: true });
  }
}

export function folderPlace(folder: string): Place {
  return {
    async write(name) {
      makePrivateFolder(folder);
      sweepLeftovers(folder, Date.now());
      const place = join(folder, name);
      return { place, sink: await fileSink(place) };
    },
    async list() {
      if (!existsSync(folder)) return [];
      return readdirSync(folder)
        .filter((name) => BACKUP_NAME.test(name))
        .flatMap((name) => {
          const place = join(folder, name);
          const stats = statSync(place, { throwIfNoEntry: false });
          return stats ? [{ name, place, bytes: stats.size, modifiedMs: Math.floor(stats.mtimeMs) }] : [];
        })
        .sort((a, b) => (a.name < b.name ? 1 : -1));
    },
    async remove(name) {
      rmSync(join(folder, name), { force: true });
    },
    async sweep(nowMs) {
      sweepLeftovers(folder, nowMs);
    },
  };
}

const READ_BYTES = 1024 * 1024;

/** The bytes of a backup. A name that only an unfinished backup has is refused. */
export async function* readFile(path: string): AsyncGenerator<Buffer> {
  if (path.endsWith(PARTIAL)) throw new BackupFault(`${path} was not finished: it is not a backup.`);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new BackupFault(`There is no backup at ${path}.`, [], "not-found");
  yield* createReadStream(path, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>;
}
