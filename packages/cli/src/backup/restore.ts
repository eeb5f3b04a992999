import { text } from "node:stream/consumers";
import { loadSettings, parseDatabaseUrl, type Settings } from "@backplane/kit/settings";
import { shellArgument } from "@backplane/kit/shell-argument";
import { holdHome, moveDatabase, restoreBackup, sourceOf, undoRestore } from "@backplane/platform/backup";
import { openProgress } from "../progress.ts";
import { refuse } from "../refusal.ts";
import { runCommand } from "../run.ts";
import { countOf, plain } from "../text.ts";
import { secretFor } from "./backup.ts";

type RestoreOptions = { undo?: boolean; passphraseFile?: string; json?: boolean };

const STEPS = { checking: "Checking every byte", files: "Writing files", tables: "Writing tables" };

/** `backplane restore PLACE`: the target is filled completely, or stays empty. */
export function restore(host: NodeJS.Process, place: string | undefined, options: RestoreOptions): Promise<number> {
  return runCommand(host, options, async ({ out, answer, signal, json }) => {
    // Not those of a Backplane that happens to run on this machine.
    const { settings } = loadSettings(host.env, host.cwd());
    const lock = holdHome(settings.home);
    try {
      if (options.undo === true) {
        const undone = await undoRestore({ settings, fetch });
        answer(undone, () => out.line(undone.left === "whole" ? wholeWords(undone.moment) : UNDONE[undone.left](settings.home)));
        return undefined;
      }
      if (place === undefined) return refuse("wrong-usage", "Name the backup: backplane restore FILE");
      const earlier = await undoRestore({ settings, fetch });
      if (earlier.left === "whole") return refuse("refused", `${wholeWords(earlier.moment)} Nothing was changed now.`);
      if (earlier.left === "empty") host.stderr.write(`${CLEANED}\n`);
      const source = sourceOf(settings, place, secretFor(host, settings, options, signal));
      using progress = openProgress(json ? { write: () => true } : host.stderr, host.env.TERM === "dumb", Date.now);
      const { moment, tables, places } = await restoreBackup({
        ...{ settings, source, fetch },
        onProgress: (step) => progress.says(STEPS[step]),
      });
      answer({ moment, tables, places }, () => {
        out.line(`${out.paint("ok", "●")} Restored into ${listOf(places)}, as of ${plain(moment)}.`);
        out.line("  Everybody signs in again; passwords and API keys are those of that time.");
        out.hint(`  ${nextStart(host.env, settings)}`);
      });
      return undefined;
    } finally {
      lock.release();
    }
  });
}

/** How what was restored is started: with what the environment said of the target. Secrets are only named. */
export function nextStart(
  env: NodeJS.ProcessEnv,
  { home, projectsFolder, viewerProject }: Pick<Settings, "home" | "projectsFolder" | "viewerProject">,
): string {
  const isGiven = (name: string) => Boolean(env[name]?.trim());
  const folders = { BACKPLANE_HOME: home, PROJECTS_FOLDER: projectsFolder, VIEWER_PROJECT: viewerProject };
  const given = Object.entries(folders).filter(([name]) => isGiven(name));
  const command = [...given.map(([name, folder]) => `${name}=${shellArgument(folder)}`), "backplane up"].join(" ");
  const named = ["DATABASE_URL", "ARCHIVES_URL"].filter(isGiven);
  return `Start it in this folder${named.length > 0 ? `, with the same ${listOf(named)},` : ""} with: ${command}`;
}

const listOf = (items: readonly string[]): string => new Intl.ListFormat("en").format(items);

const UNDONE = {
  nothing: (home: string) => `There is no interrupted restore in ${home}.`,
  empty: (home: string) => `Cleaned up ${home}: it is empty again. You can restore into it.`,
};

const CLEANED = "An earlier restore was interrupted. What it had written was removed; this one begins from the start.";

const wholeWords = (moment: string | undefined): string =>
  `The earlier restore had been completed: everything${moment === undefined ? "" : ` as of ${plain(moment)}`} is there.`;

/** `backplane move --to …`: the target gets every row, or none. The source stays as it is. */
export function move(host: NodeJS.Process, options: { to: string; json?: boolean }): Promise<number> {
  return runCommand(host, options, async ({ out, answer }) => {
    const { settings } = loadSettings(host.env, host.cwd());
    // An address with a password does not belong into an argument list, which all users of a machine can read.
    const given = options.to === "-" ? (await text(host.stdin)).trim() : options.to;
    const to = targetOf(given);
    if (to === "wrong") return refuse("wrong-usage", "--to is neither postgres://… nor sqlite:");
    if (settings.databaseUrl === to) {
      return refuse("refused", "That is the database in use now. Name the other one: postgres://… or sqlite:");
    }
    const lock = holdHome(settings.home);
    try {
      const { home, databaseUrl: from } = settings;
      const tables = await moveDatabase({ home, from, to, nowMs: Date.now() });
      const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0);
      answer({ tables }, () => {
        out.line(
          `${out.paint("ok", "●")} ${countOf(rows, "row")} of ${countOf(Object.keys(tables).length, "table")}: count and digest are the same.`,
        );
        out.line(
          to === undefined
            ? "  Now remove DATABASE_URL from your settings."
            : "  Now set DATABASE_URL to that address in your settings.",
        );
        out.line("  The old database is unchanged. Keep it until you have seen that everything works, then remove it.");
      });
      return undefined;
    } finally {
      lock.release();
    }
  });
}

function targetOf(text: string): string | undefined | "wrong" {
  if (text === "sqlite:" || text === "sqlite") return undefined;
  try {
    return parseDatabaseUrl(text);
  } catch {
    return "wrong";
  }
}
