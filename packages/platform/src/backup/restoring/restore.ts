import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncFolder, writeFileAtomically } from "@backplane/kit/atomic-file";
import { type Database, openDatabase, sqlitePath } from "@backplane/kit/database";
import { makePrivateFolder } from "@backplane/kit/folder";
import type { Settings } from "@backplane/kit/settings";
import { type BlobStore, openBlobStore } from "@backplane/registry/blobs";
import { REMOVED, type Summary, tableOf } from "../format/layout.ts";
import { BackupFault, readBackup } from "../format/reader.ts";
import { readRow } from "../format/rows.ts";
import type { TarFile } from "../format/tar.ts";
import { ARCHIVES_PREFIX, HOME_FILES, HOME_PREFIX, projectsRoot, STAGE, screenshotsRoot } from "../roots.ts";
import { KEPT_TABLES } from "../tables.ts";
import { holdsFiles, isUsed } from "../taking/files.ts";
import { type LoadedRows, loadTables } from "./load.ts";

export type RestoreSettings = Pick<Settings, "databaseUrl" | "home" | "archives" | "projectsFolder" | "viewerProject">;

export type RestoreOptions = {
  settings: RestoreSettings;
  /** Each call reads the backup from its beginning. */
  source: () => AsyncIterable<Buffer>;
  fetch: typeof globalThis.fetch;
  onProgress?: (step: "checking" | "files" | "tables") => void;
};

export type Restored = {
  moment: string;
  tables: Summary["tables"];
  /** Everything that was filled: folders that are not inside another one, and what is not on this disk. */
  places: string[];
};

/**
 * What a restore does, for the next command or start if it is interrupted. Files are put beside their places, then moved
 * there, and the tables come last: as long as there are none, everything that was moved is removed again.
 */
type Journal = {
  begunAt: string;
  /** Of the backup. */
  moment?: string;
  /** The database and the store of archives that are filled: others must not be judged by it, or emptied. */
  target?: Target;
  /** Folders with what is not complete. */
  stages?: string[];
  placed: string[];
  objects: boolean;
};

type Target = { database: string; archives: string };

/** Without secrets. */
function targetOf({ databaseUrl, home, archives }: RestoreSettings): Target {
  const { host, pathname } = databaseUrl === undefined ? { host: "", pathname: "" } : new URL(databaseUrl);
  return {
    database: databaseUrl === undefined ? sqlitePath(home) : `postgres://${host}${pathname}`,
    archives:
      archives.kind === "folder" ? archives.folder : `${archives.endpoint} s3://${archives.bucket}/${archives.prefix}`,
  };
}

/** A part has 4 MiB, or one row, however large. It is read as a whole. */
const MAX_PART_BYTES = 256 * 1024 * 1024;

const journalPath = (home: string): string => join(home, "restore.json");

/** A sentence if a restore into this home was interrupted; undefined otherwise. */
export function interruptedRestore(home: string): string | undefined {
  if (!existsSync(journalPath(home))) return undefined;
  return `A restore into ${home} was interrupted. Restore again: backplane restore FILE. Or clean up only: backplane restore --undo`;
}

/** Checks the whole backup, then fills an empty installation with it. Call only while no platform uses it. */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { settings, source, onProgress } = options;
  onProgress?.("checking");
  const { summary } = await readBackup(source(), async () => {});
  await refuseUsed(options);
  const journal: Journal = {
    ...{ begunAt: new Date().toISOString(), moment: summary.moment, target: targetOf(settings) },
    ...{ stages: stagesOf(settings), placed: [], objects: settings.archives.kind === "s3" },
  };
  makePrivateFolder(settings.home);
  await writeJournal(settings.home, journal);
  try {
    await fill(options, journal, summary);
  } catch (error) {
    await undoRestore(options);
    throw asFault(error as Error);
  }
  rmSync(journalPath(settings.home));
  return { moment: summary.moment, tables: summary.tables, places: placesOf(settings) };
}

/** Rows that do not fit, or tables of a newer version: what the database says about them, as a sentence. */
function asFault(error: Error): Error {
  if (error instanceof BackupFault || error instanceof NotEmpty || "syscall" in error) return error;
  return new BackupFault(`The backup was not restored, and the target is empty again: ${error.message}`);
}

async function writeJournal(home: string, journal: Journal): Promise<void> {
  await writeFileAtomically(journalPath(home), `${JSON.stringify(journal)}\n`, 0o600);
  await syncFolder(home);
}

/** The folders that a restore fills. Each has a stage of its own, so that moving out of it is a rename on the same disk. */
function foldersOf(settings: RestoreSettings): Record<string, string> {
  return {
    [HOME_PREFIX]: settings.home,
    ...(settings.archives.kind === "folder" ? { [ARCHIVES_PREFIX]: settings.archives.folder } : {}),
    [projectsRoot(settings).prefix]: settings.projectsFolder,
    [screenshotsRoot(settings).prefix]: screenshotsRoot(settings).folder,
  };
}

function placesOf(settings: RestoreSettings): string[] {
  const folders = [...new Set(Object.values(foldersOf(settings)))];
  const isInside = (folder: string) => folders.some((other) => folder.startsWith(`${other}/`));
  return [
    ...folders.filter((folder) => !isInside(folder)),
    ...(settings.databaseUrl === undefined ? [] : ["the database at DATABASE_URL"]),
    ...(settings.archives.kind === "s3" ? ["the store at ARCHIVES_URL"] : []),
  ];
}

const stagesOf = (settings: RestoreSettings): string[] =>
  Object.values(foldersOf(settings)).map((folder) => join(folder, STAGE));

async function fill(
  { settings, source, fetch, onProgress }: RestoreOptions,
  journal: Journal,
  summary: Summary,
): Promise<void> {
  const folders = foldersOf(settings);
  for (const stage of stagesOf(settings)) makePrivateFolder(stage);
  const blobs = settings.archives.kind === "s3" ? await openBlobStore(settings.archives, fetch) : undefined;
  const staged = join(settings.home, STAGE);
  const database = await openTarget(settings, staged);
  try {
    onProgress?.("files");
    await loadTables(database, summary.migrations, readRows(), async () => {
      // The rows are complete, but nobody sees them yet.
      for (const folder of Object.values(folders)) await place(settings, folder, journal);
    });
  } finally {
    await database.close();
  }
  if (settings.databaseUrl === undefined) {
    renameSync(sqlitePath(staged), sqlitePath(settings.home));
    await syncFolder(settings.home);
  }
  for (const stage of stagesOf(settings)) rmSync(stage, { recursive: true, force: true });

  /** Everything in the order of the backup: files are written to the stages, rows are given to the database. */
  async function* readRows(): AsyncGenerator<LoadedRows> {
    const waiting: LoadedRows[] = [];
    const wake = { rows: Promise.withResolvers<void>(), taken: Promise.withResolvers<void>() };
    let isDone = false;
    const reading = readBackup(source(), async (entry, content) => {
      const table = tableOf(entry.name);
      if (table === undefined) return putFile(entry, content);
      refuseForeign(table, entry);
      onProgress?.("tables");
      waiting.push(await readPart(table, content));
      wake.rows.resolve();
      await wake.taken.promise;
      wake.taken = Promise.withResolvers();
    }).finally(() => {
      isDone = true;
      wake.rows.resolve();
    });
    reading.catch(() => {});
    while (!isDone || waiting.length > 0) {
      await wake.rows.promise;
      wake.rows = Promise.withResolvers();
      const next = waiting.shift();
      if (next) yield next;
      wake.taken.resolve();
      if (isDone) wake.rows.resolve();
    }
    await reading;
  }

  async function putFile(entry: TarFile, content: AsyncIterable<Buffer>): Promise<void> {
    if (entry.name === REMOVED) return removeEntries(await removedNames(entry, content));
    const prefix = `${entry.name.split("/", 1)[0]}/`;
    const path = checkedPath(entry.name.slice(prefix.length));
    if (prefix === ARCHIVES_PREFIX && blobs) return putObject(blobs, path, content, join(staged, "object"));
    const folder = folders[prefix];
    if (folder === undefined || (prefix === HOME_PREFIX && !HOME_FILES.some((name) => name === path))) return;
    await writeStaged(join(folder, STAGE, path), entry, content);
  }

  async function removeEntries(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const prefix = `${name.split("/", 1)[0]}/`;
      const path = checkedPath(name.slice(prefix.length));
      if (prefix === ARCHIVES_PREFIX && blobs) await blobs.remove(path);
      else if (folders[prefix] !== undefined) rmSync(join(folders[prefix], STAGE, path), { force: true });
    }
  }
}

/** A SQLite file is complete before it gets its name. */
function openTarget({ databaseUrl: url }: RestoreSettings, staged: string): Promise<Database<unknown>> {
  return openDatabase<unknown>({ url, home: staged, connections: 3, onLostConnection: () => {} });
}

/** Paths in a backup lead nowhere else. */
function checkedPath(path: string): string {
  const isFine =
    path !== "" &&
    !path.includes("\0") &&
    path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  if (!isFine)
    throw new BackupFault("The backup names a file outside of its folders: it was not written by Backplane.");
  return path;
}

async function removedNames({ size }: TarFile, content: AsyncIterable<Buffer>): Promise<string[]> {
  try {
    if (size > MAX_PART_BYTES) throw new Error("too long");
    return (await linesOf(content)).map((line) => String(JSON.parse(line)));
  } catch {
    throw new BackupFault(`The backup has a list ${REMOVED} that cannot be read: it was not written by Backplane.`);
  }
}

async function linesOf(content: AsyncIterable<Buffer>): Promise<string[]> {
  const text = Buffer.concat(await Array.fromAsync(content)).toString();
  return text.split("\n").slice(0, -1);
}

/** Sessions and links for new passwords are never in a backup: a forged one must not bring them along. */
function refuseForeign(table: string, { size }: TarFile): void {
  if (!KEPT_TABLES.some((name) => name === table) || size > MAX_PART_BYTES)
    throw new BackupFault(`The backup has rows of ${table} that Backplane has not written: it is not used.`);
}

async function readPart(table: string, content: AsyncIterable<Buffer>): Promise<LoadedRows> {
  const [first = "[]", ...lines] = await linesOf(content);
  try {
    const columns: unknown = JSON.parse(first);
    if (!Array.isArray(columns) || !columns.every((name) => typeof name === "string")) throw new Error("no columns");
    return { table, columns, rows: lines.map(readRow) };
  } catch {
    throw new BackupFault(`The backup has rows of ${table} that cannot be read: it was not written by Backplane.`);
  }
}

async function writeStaged(path: string, { mode, mtimeS }: TarFile, content: AsyncIterable<Buffer>): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  await using file = await open(path, "w", mode);
  for await (const piece of content) await file.writeFile(piece);
  await file.utimes(mtimeS, mtimeS);
  await file.sync();
}

async function putObject(
  blobs: BlobStore,
  key: string,
  content: AsyncIterable<Buffer>,
  temporary: string,
): Promise<void> {
  await writeStaged(temporary, { name: key, size: 0, mode: 0o600, mtimeS: 0 }, content);
  await blobs.putFile(key, temporary);
  rmSync(temporary);
}

/** Moves what is staged to its place. The journal knows it first, and it knows nothing that was there before. */
async function place(settings: RestoreSettings, folder: string, journal: Journal): Promise<void> {
  const stage = join(folder, STAGE);
  const isOurs = (name: string) => !/^backplane\.db(?:-|$)/.test(name);
  const names = readdirSync(stage).filter(isOurs);
  const { skip } = [projectsRoot(settings), screenshotsRoot(settings)].find((root) => root.folder === folder) ?? {};
  const used = names.find((name) => isUsed(folder, name, skip ?? (() => false)));
  if (used !== undefined)
    throw new NotEmpty(`${join(folder, used)} is in the backup, and exists already. Move it away, then restore again.`);
  journal.placed.push(...names.map((name) => join(folder, name)));
  await writeJournal(settings.home, journal);
  for (const name of names) {
    // A folder of this name may be there, without any files.
    rmSync(join(folder, name), { recursive: true, force: true });
    renameSync(join(stage, name), join(folder, name));
  }
  await syncFolder(folder);
}

/** Whether the tables are there: then the restore was complete. */
async function hasTables({ databaseUrl: url, home }: RestoreSettings): Promise<boolean> {
  if (url === undefined) return (statSync(sqlitePath(home), { throwIfNoEntry: false })?.size ?? 0) > 0;
  const database = await openDatabase<unknown>({ url, home, connections: 3, onLostConnection: () => {} });
  try {
    return (await database.durable.introspection.getTables()).length > 0;
  } finally {
    await database.close();
  }
}

export type Undone = { left: "nothing" | "empty" } | { left: "whole"; moment: string | undefined };

/** Ends an interrupted restore: the target is empty again, or whole if everything had been done. */
export async function undoRestore({ settings, fetch }: Pick<RestoreOptions, "settings" | "fetch">): Promise<Undone> {
  const path = journalPath(settings.home);
  if (!existsSync(path)) return { left: "nothing" };
  const journal = JSON.parse(readFileSync(path, "utf8")) as Journal;
  refuseOtherTarget(settings, journal);
  const isWhole = await hasTables(settings);
  if (!isWhole) {
    for (const placed of journal.placed) rmSync(placed, { recursive: true, force: true });
    if (settings.archives.kind === "s3" && journal.objects)
      await removeObjects(await openBlobStore(settings.archives, fetch));
  }
  for (const stage of journal.stages ?? stagesOf(settings)) rmSync(stage, { recursive: true, force: true });
  rmSync(path);
  return isWhole ? { left: "whole", moment: journal.moment } : { left: "empty" };
}

/** Whether it was complete is seen in its own database, and only its own store may be emptied. */
function refuseOtherTarget(settings: RestoreSettings, { target }: Journal): void {
  if (target === undefined) return;
  const now = targetOf(settings);
  const other = [
    ...(now.database === target.database ? [] : [`DATABASE_URL to ${target.database}`]),
    ...(now.archives === target.archives ? [] : [`ARCHIVES_URL to ${target.archives}`]),
  ];
  if (other.length === 0) return;
  throw new NotEmpty(
    `The interrupted restore into ${settings.home} had other settings. Set ${other.join(" and ")}, then clean up with: backplane restore --undo`,
  );
}

/** The store was empty before, and no table names them. */
async function removeObjects(blobs: BlobStore): Promise<void> {
  for await (const { key } of blobs.list("archives/")) await blobs.remove(key);
}

/** Nothing is ever overwritten: each place that would be filled must be empty. */
async function refuseUsed({ settings, fetch }: RestoreOptions): Promise<void> {
  const { home, archives, databaseUrl } = settings;
  const interrupted = interruptedRestore(home);
  if (interrupted !== undefined) throw new NotEmpty(interrupted);
  if (await hasTables(settings)) {
    const place = databaseUrl === undefined ? sqlitePath(home) : "at DATABASE_URL";
    throw new NotEmpty(
      `The database ${place} is not empty. Restore into another home folder or database, or move it away.`,
    );
  }
  const [projects, screenshots] = [projectsRoot(settings), screenshotsRoot(settings)];
  const skipHidden = (path: string) => path.startsWith(".");
  const used = [
    ...(archives.kind === "folder" ? [{ setting: "BACKPLANE_HOME", folder: archives.folder, skip: skipHidden }] : []),
    { setting: "PROJECTS_FOLDER", folder: projects.folder, skip: skipHidden },
    { setting: "VIEWER_PROJECT", folder: screenshots.folder, skip: screenshots.skip },
  ].find(({ folder, skip }) => holdsFiles(folder, skip));
  if (used) throw new NotEmpty(`${used.folder} is not empty. Move it away, or set ${used.setting} to another folder.`);
  const file = HOME_FILES.find((name) => existsSync(join(home, name)));
  if (file !== undefined)
    throw new NotEmpty(`${join(home, file)} exists. Restore into another home folder, or move it away.`);
  if (archives.kind !== "s3") return;
  for await (const { key } of (await openBlobStore(archives, fetch)).list("archives/")) {
    throw new NotEmpty(`The store of ARCHIVES_URL is not empty: it has ${key}. Use another prefix.`);
  }
}

/** A target that has data. */
export class NotEmpty extends Error {
  override name = "NotEmpty";
  readonly code = "refused";
}
