import { randomUUID } from "node:crypto";
import { copyFile, link, mkdir, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { isProcessAlive } from "@backplane/kit/process-alive";
import { ManagerFault } from "../faults.ts";
import type { FetchedArchive, Progress } from "../manager-types.ts";
import { download, hashFile } from "./download.ts";
import type { Transport } from "./transport.ts";
import { findMismatch, type WantedArchive } from "./wanted-archive.ts";

/** Archives by hash, and unfinished downloads. */
export type ArchiveCache = {
  /** Throws unless size and sha256 are right. */
  fetch(wanted: WantedArchive): Promise<FetchedArchive>;
  /** Only if it is in the cache. */
  held(sha256: string): Promise<FetchedArchive | undefined>;
  /** Adds a file that was verified elsewhere. */
  add(file: string, sha256: string): Promise<void>;
};

export function openArchiveCache(
  cacheFolder: string,
  transport: Transport,
  onProgress: (progress: Progress) => void = () => {},
): ArchiveCache {
  const folder = join(cacheFolder, "archives");
  const fileOf = (sha256: string) => join(folder, `${sha256}.zip`);
  const temporary = (sha256: string, kind: "part" | "left" | "held") =>
    join(folder, `${sha256}.${process.pid}-${randomUUID()}.${kind}`);

  async function hold(sha256: string, size: number): Promise<FetchedArchive> {
    const file = temporary(sha256, "held");
    await link(fileOf(sha256), file).catch(() => copyFile(fileOf(sha256), file));
    return { file, sha256, size, [Symbol.asyncDispose]: () => rm(file, { force: true }) };
  }

  async function held(sha256: string): Promise<FetchedArchive | undefined> {
    const found = await stat(fileOf(sha256)).catch(() => undefined);
    if (!found) return undefined;
    const kept = await hold(sha256, found.size).catch(() => undefined);
    if (!kept) return undefined;
    if ((await hashFile(kept.file)).digest("hex") === sha256) {
      const now = new Date();
      await utimes(fileOf(sha256), now, now).catch(() => undefined);
      return kept;
    }
    await kept[Symbol.asyncDispose]();
    await rm(fileOf(sha256), { force: true });
    return undefined;
  }

  async function fetchNew(wanted: WantedArchive, mayResume: boolean): Promise<FetchedArchive> {
    const { url, sha256, size, identifier, what } = wanted;
    const part = temporary(sha256 ?? "unknown", "part");
    if (mayResume && sha256 !== undefined) await takeOver(folder, sha256, part);
    let finished = false;
    try {
      const got = await download(transport, url, part, {
        what,
        maxBytes: transport.limits.maxArchiveBytes,
        ...(size === undefined ? {} : { expectedBytes: size }),
        onProgress: (done, total) => onProgress({ kind: "download", identifier, done, total }),
      });
      finished = true;
      const wrong = await findMismatch(wanted, got, part);
      if (wrong && got.resumed) {
        await rm(part, { force: true });
        return await fetchNew(wanted, false);
      }
      if (wrong) throw wrong;
      await rename(part, fileOf(got.sha256));
      const kept = await hold(got.sha256, got.size);
      await trim(folder, transport.limits.maxCachedArchiveBytes);
      return kept;
    } catch (error) {
      // An interrupted download can be resumed by the next run; a complete but wrong one is useless.
      const isBroken = error instanceof ManagerFault && ["unreachable", "aborted"].includes(error.code);
      if (finished || !isBroken || sha256 === undefined) await rm(part, { force: true });
      else await rename(part, temporary(sha256, "left"));
      throw error;
    }
  }

  return {
    held,
    fetch: async (wanted) => {
      await mkdir(folder, { recursive: true });
      const atHand = wanted.sha256 === undefined ? undefined : await held(wanted.sha256);
      const hasSize = atHand && (wanted.size === undefined || wanted.size === atHand.size);
      if (atHand && hasSize) return atHand;
      await atHand?.[Symbol.asyncDispose]();
      return await fetchNew(wanted, true);
    },
    add: async (file, sha256) => {
      await mkdir(folder, { recursive: true });
      const part = temporary(sha256, "part");
      await copyFile(file, part);
      await rename(part, fileOf(sha256));
      await trim(folder, transport.limits.maxCachedArchiveBytes);
    },
  };
}

const OWNED = /^([a-f0-9]{64}|unknown)\.(\d+)-[-a-f0-9]+\.(part|left|held)$/;

/** Takes over the unfinished download of a process that has ended. Renaming claims it: of two processes one wins. */
async function takeOver(folder: string, sha256: string, part: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, hash, pid, kind] = OWNED.exec(name) ?? [];
    const isFree = kind === "left" || (kind === "part" && !isProcessAlive(Number(pid)));
    if (hash !== sha256 || !isFree) continue;
    const isMine = await rename(join(folder, name), part).then(
      () => true,
      () => false,
    );
    if (isMine) return;
  }
}

/**
 * Deletes the oldest files until the rest fits, but never the newest. Files of running processes stay; `held` files of
 * dead processes are only hard links and can go.
 */
async function trim(folder: string, maxBytes: number): Promise<void> {
  const files: { file: string; size: number; mtimeMs: number }[] = [];
  for (const name of await readdir(folder)) {
    const [, , owner, kind] = OWNED.exec(name) ?? [];
    if (owner !== undefined && kind !== "left" && isProcessAlive(Number(owner))) continue;
    if (kind === "held") {
      await rm(join(folder, name), { force: true });
      continue;
    }
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found) files.push({ file: join(folder, name), size: found.size, mtimeMs: found.mtimeMs });
  }
  files.sort((a, b) => b.mtimeMs - a.mtimeMs);
  let sum = 0;
  for (const [place, { file, size }] of files.entries()) {
    sum += size;
    if (place > 0 && sum > maxBytes) await rm(file, { force: true });
  }
}
