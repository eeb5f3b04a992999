import { randomUUID } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { PASTE_ID_PATTERN } from "@backplane/contract/viewer";
import type { Log } from "@backplane/kit/log";
import { type Disk, isMissing } from "./disk.ts";
import type { PastesFolder } from "./folder.ts";
import type { PastesLimits } from "./limits.ts";
import { type PasteRecord, parseRecord } from "./record.ts";

export type Records = {
  /** Undefined if there is no readable record. */
  read(id: string): Promise<PasteRecord | undefined>;
  /** Atomic. With "later", a power cut, but not a crash, may bring the previous record back. */
  write(record: PasteRecord, flush?: "now" | "later"): Promise<void>;
  remove(id: string): Promise<void>;
  readRemoved(id: string): Promise<PasteRecord | undefined>;
  writeRemoved(record: PasteRecord): Promise<void>;
  /** All records, in any order. Damaged ones are set aside. */
  readAll(take: (record: PasteRecord) => void): Promise<void>;
};

const ID = new RegExp(PASTE_ID_PATTERN);
const ENDING = ".json";

/** The record of a removed screenshot, in the folder with its files. */
export const REMOVED_RECORD = "record.json";

export function createRecords(
  folder: PastesFolder,
  disk: Disk,
  limits: PastesLimits,
  log: Pick<Log, "warn"> | undefined,
): Records {
  const pathOf = (id: string): string => join(folder.records, id + ENDING);
  const removedPathOf = (id: string): string => join(folder.removed, id, REMOVED_RECORD);

  async function write(record: PasteRecord, target: string): Promise<void> {
    const half = join(folder.incoming, `${randomUUID()}.record`);
    try {
      await disk.writeFile(half, JSON.stringify(record));
      await disk.rename(half, target);
    } catch (error) {
      await disk.unlink(half).catch(() => undefined);
      throw error;
    }
  }

  async function readOrSetAside(id: string): Promise<PasteRecord | undefined> {
    const text = readText(pathOf(id), limits.maxRecordBytes);
    if (text === undefined) return undefined;
    const record = parseRecord(text, id);
    if (record) return record;
    await rename(pathOf(id), join(folder.records, `${id}.damaged`)).catch(() => undefined);
    log?.warn({ paste: id }, "The record of a screenshot is damaged and was set aside. Its files stay.");
    return undefined;
  }

  return {
    async read(id) {
      const text = readText(pathOf(id), limits.maxRecordBytes);
      return text === undefined ? undefined : parseRecord(text, id);
    },
    async write(record, flush = "now") {
      await write(record, pathOf(record.id));
      if (flush === "now") await disk.flushFolder(folder.records);
    },
    async remove(id) {
      await disk.unlink(pathOf(id)).catch((error) => {
        if (!isMissing(error)) throw error;
      });
      await disk.flushFolder(folder.records);
    },
    async readRemoved(id) {
      const text = readText(removedPathOf(id), limits.maxRecordBytes);
      return text === undefined ? undefined : parseRecord(text, id);
    },
    async writeRemoved(record) {
      await write(record, removedPathOf(record.id));
      await disk.flushFolder(join(folder.removed, record.id));
    },
    async readAll(take) {
      const names = await readdir(folder.records);
      const ids = names.filter((name) => name.endsWith(ENDING)).map((name) => name.slice(0, -ENDING.length));
      for (const [place, id] of ids.filter((one) => ID.test(one)).entries()) {
        // Let other work run: a starting process must answer health checks.
        if (place % limits.readsAtOnce === 0) await setImmediate();
        const record = await readOrSetAside(id);
        if (record) take(record);
      }
    },
  };
}

/** The project may contain a link or a pipe with this name: do not follow it, and do not wait for it. */
const READ_PLAIN_FILE = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Undefined if it does not exist; empty if it is not a file or too large for a record. Synchronous: records are small, and
 * four trips to the thread pool for each of thousands take ten times as long as reading them.
 */
function readText(path: string, maxBytes: number): string | undefined {
  let file: number;
  try {
    file = openSync(path, READ_PLAIN_FILE);
  } catch (error) {
    return isMissing(error) ? undefined : "";
  }
  try {
    const stats = fstatSync(file);
    return stats.isFile() && stats.size <= maxBytes ? readFileSync(file, "utf8") : "";
  } catch {
    return "";
  } finally {
    closeSync(file);
  }
}
