import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { openSnapshot, type Snapshot } from "@backplane/kit/database";
import type { Settings } from "@backplane/kit/settings";
import { VERSION } from "@backplane/kit/version";
import { type BlobStore, openBlobStore } from "@backplane/registry/blobs";
import type { Sink } from "../format/block-writer.ts";
import { BEGIN, FORMAT, REMOVED, type Summary, type TableSummary, tablePartName } from "../format/layout.ts";
import { RowsDigest, rowLine } from "../format/rows.ts";
import { BackupWriter, type ReadInto } from "../format/writer.ts";
import { ARCHIVES_PREFIX, HOME_FILES, HOME_PREFIX, projectsRoot, screenshotsRoot } from "../roots.ts";
import { KEPT_TABLES } from "../tables.ts";
import { copyFile, FolderCopy } from "./files.ts";

export type BackupStep = "packages" | "files" | "tables" | "done";
export type Progress = { step: BackupStep; bytes: number };
export type Taken = { momentMs: number; bytes: number; entries: number };

export type TakeOptions = {
  settings: Pick<Settings, "databaseUrl" | "home" | "archives" | "projectsFolder" | "viewerProject">;
  sink: Sink;
  now: () => number;
  fetch: typeof globalThis.fetch;
  onProgress?: (progress: Progress) => void;
  signal?: AbortSignal;
};

/** As often as an archive that the tables name is gone, because somebody has just unpublished it. */
const MAX_SNAPSHOTS = 20;
/** As often as an archive is read again because its store failed halfway. */
const MAX_READS = 3;
const PART_BYTES = 4 * 1024 * 1024;

/**
 * Writes a backup of everything while it is in use. Archives never change and are stored before their row, and files are
 * replaced by renames, so both are copied first, then the tables are read as of one moment, and what is new is copied again.
 */
export async function takeBackup(options: TakeOptions): Promise<Taken> {
  const { settings, sink, now } = options;
  const startedMs = now();
  const writer = new BackupWriter(sink, startedMs / 1_000);
  const tell = (step: BackupStep) => {
    options.signal?.throwIfAborted();
    options.onProgress?.({ step, bytes: writer.bytes });
  };
  const engine = settings.databaseUrl === undefined ? "sqlite" : "postgres";
  const beginning = { format: FORMAT, version: VERSION, engine, startedAt: new Date(startedMs).toISOString() };
  await writer.add({ name: BEGIN }, Buffer.from(`${JSON.stringify(beginning, undefined, 2)}\n`));

  const archives = new ArchivesCopy(await archiveCopier(options, writer), () => tell("packages"));
  await archives.copy(await listedArchives(settings));
  tell("files");
  const projects = new FolderCopy(projectsRoot(settings), writer);
  const screenshots = new FolderCopy(screenshotsRoot(settings), writer);
  await projects.copy();
  await screenshots.copy();

  const { snapshot, momentMs } = await openComplete(options, archives);
  await using _ = snapshot;
  tell("files");
  const workspaces = await workspaceFolders(snapshot);
  const removed = [
    ...archives.removed(await archiveKeys(snapshot)),
    // A workspace that was made after the moment would come back without its row.
    ...(await projects.settle((path) => workspaces.has(path.split("/", 2).join("/")) || !path.startsWith("@"))),
    ...(await screenshots.settle()),
  ];
  for (const name of HOME_FILES) await copyFile(writer, join(settings.home, name), HOME_PREFIX + name);
  tell("tables");
  const tables = await writeTables(snapshot, writer, () => tell("tables"));
  await writer.add({ name: REMOVED }, Buffer.from(removed.map((name) => `${JSON.stringify(name)}\n`).join("")));
  const summary = { moment: new Date(momentMs).toISOString(), migrations: await appliedMigrations(snapshot), tables };
  await writer.end(summary);
  options.onProgress?.({ step: "done", bytes: writer.bytes });
  return { momentMs, bytes: writer.bytes, entries: Object.keys(tables).length };
}

async function listedArchives({ databaseUrl: url, home }: TakeOptions["settings"]): Promise<Set<string>> {
  await using snapshot = await openSnapshot({ url, home });
  return await archiveKeys(snapshot);
}

/** The tables as of now, when all archives that they name are copied. */
async function openComplete({ settings, now }: TakeOptions, archives: ArchivesCopy) {
  for (let attempt = 1; ; attempt += 1) {
    // Before the snapshot: what was acknowledged until then is in it.
    const momentMs = now();
    const snapshot = await openSnapshot({ url: settings.databaseUrl, home: settings.home });
    try {
      const missing = await archives.copy(await archiveKeys(snapshot));
      if (missing.length === 0) return { snapshot, momentMs };
      if (attempt === MAX_SNAPSHOTS) {
        throw new Error(
          `The archive ${missing[0]} is missing in the store, although a package names it. Run: backplane doctor`,
        );
      }
      await snapshot[Symbol.asyncDispose]();
    } catch (error) {
      await snapshot[Symbol.asyncDispose]();
      throw error;
    }
  }
}

/** Copies one archive; false if it is not in the store. */
type CopyArchive = (key: string) => Promise<boolean>;

/** A folder is read as a folder: that takes a fraction of the time of the store's streams. */
async function archiveCopier({ settings, fetch }: TakeOptions, writer: BackupWriter): Promise<CopyArchive> {
  const { archives } = settings;
  if (archives.kind === "s3") {
    const blobs = await openBlobStore(archives, fetch);
    return (key) => copyBlob(blobs, writer, key);
  }
  return async (key) => (await copyFile(writer, join(archives.folder, key), ARCHIVES_PREFIX + key)) !== undefined;
}

async function copyBlob(blobs: BlobStore, writer: BackupWriter, key: string): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    const found = await blobs.read(key);
    if (!found) return false;
    try {
      await writer.addFrom({ name: ARCHIVES_PREFIX + key, size: found.size }, readerOf(found.stream));
      return true;
    } catch (error) {
      if (attempt === MAX_READS) throw error;
    } finally {
      found.stream.destroy();
    }
  }
}

class ArchivesCopy {
  readonly #copyOne: CopyArchive;
  readonly #tell: () => void;
  readonly #copied = new Set<string>();

  constructor(copyOne: CopyArchive, tell: () => void) {
    this.#copyOne = copyOne;
    this.#tell = tell;
  }

  /** Returns those that are not in the store. */
  async copy(keys: ReadonlySet<string>): Promise<string[]> {
    const missing: string[] = [];
    for (const key of keys) {
      if (this.#copied.has(key)) continue;
      if (await this.#copyOne(key)) this.#copied.add(key);
      else missing.push(key);
      this.#tell();
    }
    return missing;
  }

  removed(keys: ReadonlySet<string>): string[] {
    return [...this.#copied].filter((key) => !keys.has(key)).map((key) => ARCHIVES_PREFIX + key);
  }
}

function readerOf(stream: AsyncIterable<Buffer>): ReadInto {
  const pieces = stream[Symbol.asyncIterator]();
  let piece: Buffer = Buffer.alloc(0);
  return async (space) => {
    while (piece.length === 0) {
      const { value, done } = await pieces.next();
      if (done === true) return 0;
      piece = value;
    }
    const copied = piece.copy(space);
    piece = piece.subarray(copied);
    return copied;
  };
}

async function archiveKeys(snapshot: Snapshot): Promise<Set<string>> {
  const keys = new Set<string>();
  for await (const row of rowsOf(snapshot, "registry_versions")) {
    if (row.unpublished_at_ms === null) keys.add(String(row.blob_key));
  }
  return keys;
}

/** As paths below the projects folder. */
async function workspaceFolders(snapshot: Snapshot): Promise<Set<string>> {
  const folders = new Set<string>();
  for await (const row of rowsOf(snapshot, "panels_workspaces")) {
    folders.add(`@${row.owner_id}/${row.folder ?? row.repo_key}`);
  }
  return folders;
}

async function* rowsOf(snapshot: Snapshot, table: string): AsyncGenerator<Record<string, unknown>> {
  for await (const { columns, rows } of snapshot.read(table)) {
    for (const row of rows) yield Object.fromEntries(columns.map((name, at) => [name, row[at]]));
  }
}

export async function appliedMigrations(snapshot: Snapshot): Promise<Summary["migrations"]> {
  const rows = await Array.fromAsync(rowsOf(snapshot, "migrations"));
  // Version 0.1.0 noted no versions.
  return rows.map(({ name, applied_at_ms, version = null }) => ({
    ...{ name: String(name), applied_at_ms: Number(applied_at_ms) },
    version: version === null ? null : String(version),
  }));
}

/** Older databases lack the newer tables. */
async function writeTables(
  snapshot: Snapshot,
  writer: BackupWriter,
  tell: () => void,
): Promise<Record<string, TableSummary>> {
  const there = new Set(await snapshot.tables());
  const written: Record<string, TableSummary> = {};
  for (const table of KEPT_TABLES) {
    if (!there.has(table)) continue;
    const digest = new RowsDigest();
    let part = 0;
    let lines: string[] = [];
    let bytes = 0;
    const flush = async (columns: readonly string[]) => {
      const text = [`${JSON.stringify(columns)}\n`, ...lines].join("");
      part += 1;
      await writer.add({ name: tablePartName(table, part) }, Buffer.from(text));
      lines = [];
      bytes = 0;
      tell();
    };
    let known: readonly string[] = [];
    for await (const { columns, rows } of snapshot.read(table)) {
      known = columns;
      for (const row of rows) {
        const line = rowLine(row);
        digest.add(line);
        lines.push(line);
        bytes += line.length;
        if (bytes >= PART_BYTES) await flush(columns);
      }
    }
    if (lines.length > 0 || part === 0) await flush(known);
    written[table] = { rows: digest.rows, sha256: digest.sha256 };
  }
  return written;
}

/** `backplane-20260728T143108Z-1a2b3c4d.tar`: names sort by time. */
export const newBackupName = (nowMs: number, isEncrypted: boolean): string =>
  `backplane-${new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z-${randomUUID().slice(0, 8)}.tar${isEncrypted ? ".age" : ""}`;

export const BACKUP_NAME = /^backplane-\d{8}T\d{6}Z-[0-9a-f]{8}\.tar(?:\.age)?$/;
