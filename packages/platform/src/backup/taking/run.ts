import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Database, openDatabase } from "@backplane/kit/database";
import type { Settings } from "@backplane/kit/settings";
import type { PlatformTables } from "../../tables.ts";
import { decrypting, encrypting, isAge } from "../format/age.ts";
import { BackupFault } from "../format/reader.ts";
import { fileSink, readFile, sweepLeftovers } from "../places/folder-place.ts";
import { bucketOf, placeFor } from "../places/place-for.ts";
import { readS3Backup } from "../places/s3-place.ts";
import { claimBackup, noteDone, noteFailed, noteProgress } from "../scheduling/record.ts";
import { newBackupName, type Progress, type Taken, takeBackup } from "./take.ts";

export type BackupOptions = {
  settings: Settings;
  /** A file, a folder or s3://…; BACKUP_TO if absent. */
  to: string | undefined;
  passphrase: string | undefined;
  /** The row that a platform has made for it. */
  id: string | undefined;
  onProgress: (progress: Progress) => void;
  signal: AbortSignal;
};

export type Done = Taken & { place: string; removed: string[] };

const NOTE_EVERY_MS = 1_000;

/** Makes a backup and notes it in the database. Then removes the oldest ones, if BACKUP_KEEP says so. */
export async function runBackup(options: BackupOptions): Promise<Done> {
  const { settings, passphrase, signal } = options;
  const to = options.to ?? settings.backups.to;
  await using record = await openRecord(settings, to, options.id);
  try {
    const name = newBackupName(Date.now(), passphrase !== undefined);
    const target = await openTarget(settings, to, name);
    const sink = passphrase === undefined ? target.sink : await encrypting(target.sink, passphrase);
    let taken: Taken;
    try {
      const onProgress = (progress: Progress) => {
        record.note(progress);
        options.onProgress(progress);
      };
      taken = await takeBackup({ settings, sink, now: Date.now, fetch, onProgress, signal });
      await sink.finish();
    } catch (error) {
      await sink.abandon();
      throw error;
    }
    await record.done({ ...taken, place: target.place });
    return { ...taken, place: target.place, removed: target.dated ? await retain(settings, to, target.place) : [] };
  } catch (error) {
    await record.failed((error as Error).message);
    throw error;
  }
}

/** A folder, or an address, gets a file with the time in its name. */
async function openTarget(settings: Settings, to: string, name: string) {
  const isFile = !to.startsWith("s3:") && !to.endsWith("/") && /\.(?:tar|age)$/.test(to) && !isFolder(to);
  if (!isFile) return { ...(await placeFor(settings, to).write(name)), dated: to === settings.backups.to };
  sweepLeftovers(dirname(to), Date.now());
  return { place: to, sink: await fileSink(to), dated: false };
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Names sort by time. The one that was just made stays, also if a wrong clock once gave another one a later name. */
async function retain(settings: Settings, to: string, made: string): Promise<string[]> {
  if (settings.backups.keep === undefined) return [];
  const place = placeFor(settings, to);
  const others = (await place.list()).filter((stored) => stored.place !== made);
  const old = others.slice(settings.backups.keep - 1);
  for (const { name } of old) await place.remove(name);
  return old.map((stored) => stored.place);
}

/** A database that was never started with this version has no table for backups: then nothing is noted. */
async function openRecord(settings: Settings, place: string, given: string | undefined) {
  const { databaseUrl: url, home } = settings;
  if (url === undefined && !isFile(join(home, "backplane.db"))) {
    throw new BackupFault(
      `There is no database in ${home}. Run this with the settings of your Backplane: in its folder, or with its BACKPLANE_HOME or DATABASE_URL.`,
      [],
      "not-found",
    );
  }
  const database: Database<PlatformTables> = await openDatabase({
    url,
    home,
    connections: 3,
    onLostConnection: () => {},
  });
  try {
    const hasTable = (await database.durable.introspection.getTables()).some(({ name }) => name === "backups");
    const id = hasTable ? (given ?? (await claimBackup(database, { place, nowMs: Date.now() }))) : undefined;
    if (hasTable && id === undefined)
      throw new BackupFault("Another backup is running. Wait for it, then try again.", [], "backup-running");
    return recordOf(database, id);
  } catch (error) {
    await database.close();
    throw error;
  }
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

function recordOf(database: Database<PlatformTables>, id: string | undefined) {
  let last: Progress = { step: "packages", bytes: 0 };
  let notedMs = 0;
  let noting: Promise<void> = Promise.resolve();
  const write = () => {
    if (id === undefined) return;
    notedMs = Date.now();
    // A note that fails is not a reason to stop.
    noting = noting.then(() => noteProgress(database, id, last, Date.now())).catch(() => {});
  };
  const timer = setInterval(write, NOTE_EVERY_MS);
  return {
    note(progress: Progress) {
      last = progress;
      if (Date.now() - notedMs >= NOTE_EVERY_MS) write();
    },
    async done(taken: Taken & { place: string }) {
      await noting;
      if (id !== undefined) await noteDone(database, id, taken, Date.now());
    },
    async failed(error: string) {
      await noting;
      if (id !== undefined) await noteFailed(database, id, error, Date.now()).catch(() => {});
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await noting;
      await database.close();
    },
  };
}

/** How to read a backup that is encrypted. */
export type Secret = {
  passphrase: () => Promise<string | undefined>;
  /** Somebody has set one: then a backup that is not encrypted is not theirs. */
  isGiven: boolean;
};

/** The bytes of a backup at a place, decrypted if need be. Each call reads it from its beginning. */
export function sourceOf(
  settings: Settings,
  place: string,
  { passphrase, isGiven }: Secret,
): () => AsyncIterable<Buffer> {
  return async function* () {
    const bytes = place.startsWith("s3:") ? readS3Backup(bucketOf(settings, place), fetch) : readFile(place);
    const pieces = bytes[Symbol.asyncIterator]();
    const first = await pieces.next();
    if (first.done === true) return;
    const rest = (async function* () {
      yield first.value;
      for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value;
    })();
    if (!isAge(first.value)) {
      if (isGiven) throw new BackupFault(NOT_ENCRYPTED, [], "refused");
      return yield* rest;
    }
    const secret = await passphrase();
    if (secret === undefined) {
      throw new BackupFault("This backup is encrypted. Set BACKUP_PASSPHRASE_FILE to the file with its passphrase.");
    }
    yield* decrypting(rest, secret);
  };
}

/** Whoever can write to the place could have put it there, with an account of their own in it. */
const NOT_ENCRYPTED =
  "This backup is not encrypted, although a passphrase is given: anybody could have made or changed it. If you know that it is yours, use it without --passphrase-file and with an empty BACKUP_PASSPHRASE_FILE.";

/** The first line of the file. */
export function readPassphrase(file: string): string {
  const [line = ""] = readFileSync(file, "utf8").split(/\r?\n/, 1);
  if (line.length < 8)
    throw new BackupFault(`The first line of ${file} is not a passphrase: use at least 8 characters.`);
  return line;
}
