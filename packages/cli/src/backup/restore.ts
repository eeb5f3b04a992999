import { loadSettings, type Settings } from "@backplane/kit/settings";
import { shellArgument } from "@backplane/kit/shell-argument";
import { holdHome, restoreBackup, sourceOf, undoRestore } from "@backplane/platform/backup";
import { openProgress } from "../progress.ts";
import { refuse } from "../refusal.ts";
import { runCommand } from "../run.ts";
import { plain } from "../text.ts";
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
        answer(undone, () =>
          out.line(undone.left === "whole" ? wholeWords(undone.moment) : UNDONE[undone.left](settings.home)),
        );
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
