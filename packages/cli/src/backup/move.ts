import { join } from "node:path";
import { text } from "node:stream/consumers";
import { isDeepStrictEqual } from "node:util";
import {
  type ArchiveSettings,
  loadSettings,
  parseBucket,
  parseDatabaseUrl,
  type Settings,
} from "@backplane/kit/settings";
import { bucketOf, holdHome, moveArchives, moveDatabase } from "@backplane/platform/backup";
import { openProgress } from "../progress.ts";
import { refuse } from "../refusal.ts";
import { runCommand } from "../run.ts";
import { countOf } from "../text.ts";

type MoveOptions = { to?: string; archivesTo?: string; json?: boolean };

/** `backplane move --to … --archives-to …`: the target gets everything, or is not used. The source stays as it is. */
export function move(host: NodeJS.Process, options: MoveOptions): Promise<number> {
  return runCommand(host, options, async ({ out, answer, json }) => {
    const { settings } = loadSettings(host.env, host.cwd());
    const { home, databaseUrl: from } = settings;
    if (options.to === undefined && options.archivesTo === undefined)
      return refuse("wrong-usage", "Say what to move: --to postgres://… or --archives-to s3://…");
    // An address with a password does not belong into an argument list, which all users of a machine can read.
    const given = options.to === "-" ? (await text(host.stdin)).trim() : options.to;
    const to = given === undefined ? from : databaseOf(given);
    if (to === "wrong") return refuse("wrong-usage", "--to is neither postgres://… nor sqlite:");
    if (given !== undefined && from === to) {
      return refuse("refused", "That is the database in use now. Name the other one: postgres://… or sqlite:");
    }
    const store = options.archivesTo === undefined ? undefined : storeOf(settings, options.archivesTo);
    if (store === "wrong") return refuse("wrong-usage", "--archives-to is neither s3://bucket/prefix nor folder:");
    if (store !== undefined && isDeepStrictEqual(store, settings.archives)) {
      return refuse("refused", "That is the store in use now. Name the other one: s3://bucket/prefix or folder:");
    }
    const lock = holdHome(home);
    try {
      using progress = openProgress(json ? { write: () => true } : host.stderr, host.env.TERM === "dumb", Date.now);
      // The tables come last: as long as they are not there, nothing uses the archives.
      const archives =
        store &&
        (await moveArchives({
          ...{ settings, to: store, fetch, nowMs: Date.now() },
          onArchive: (count) => progress.says(`Copying archives, ${count}`),
        }));
      const tables = given === undefined ? undefined : await moveDatabase({ home, from, to, nowMs: Date.now() });
      answer({ ...(tables && { tables }), ...(archives && { archives }) }, () => {
        if (archives) out.line(`${out.paint("ok", "●")} ${countOf(archives.count, "archive")}: digests are the same.`);
        if (tables) out.line(`${out.paint("ok", "●")} ${tableWords(tables)}: count and digest are the same.`);
        if (archives) out.line(nextWords("ARCHIVES_URL", store?.kind === "folder"));
        if (tables) out.line(nextWords("DATABASE_URL", to === undefined));
        out.line("  What you moved from is unchanged. Keep it until you have seen that everything works.");
      });
      return undefined;
    } finally {
      lock.release();
    }
  });
}

function tableWords(tables: Awaited<ReturnType<typeof moveDatabase>>): string {
  const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0);
  return `${countOf(rows, "row")} of ${countOf(Object.keys(tables).length, "table")}`;
}

const nextWords = (setting: string, isDefault: boolean): string =>
  isDefault ? `  Now remove ${setting} from your settings.` : `  Now set ${setting} to that address in your settings.`;

function databaseOf(text: string): string | undefined | "wrong" {
  if (text === "sqlite:" || text === "sqlite") return undefined;
  try {
    return parseDatabaseUrl(text);
  } catch {
    return "wrong";
  }
}

function storeOf(settings: Settings, text: string): ArchiveSettings | "wrong" {
  if (text === "folder:" || text === "folder") return { kind: "folder", folder: join(settings.home, "archives") };
  try {
    parseBucket(text);
  } catch {
    return "wrong";
  }
  return { kind: "s3", ...bucketOf(settings, text) };
}
