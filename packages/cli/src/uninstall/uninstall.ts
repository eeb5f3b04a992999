import { existsSync, rmdirSync, rmSync } from "node:fs";
import { openFileLock } from "@backplane/kit/file-lock";
import { pidFileHolder, starterPidFile } from "@backplane/kit/pid-file";
import { loadSettings, localUrl, type Settings } from "@backplane/kit/settings";
import { homeLockPath } from "@backplane/platform/backup";
import { isBackplane } from "../preflight.ts";
import { openQuestions } from "../questions.ts";
import { type Refusal, refuse } from "../refusal.ts";
import { runCommand } from "../run.ts";
import { table } from "../terminal.ts";
import { sizeOf } from "../text.ts";
import { type Group, type Item, pathsOf, takeInventory } from "./inventory.ts";

type Options = { [group in Group]?: boolean } & { dryRun?: boolean; yes?: boolean; json?: boolean };

/** `backplane uninstall`. Returns the exit code. */
export function uninstall(host: NodeJS.Process, options: Options): Promise<number> {
  return runCommand(host, options, async ({ out, answer, signal }) => {
    const { settings } = loadSettings(host.env, host.cwd());
    const items = takeInventory(host, settings);
    const chosen = items.filter(({ group }) => group !== undefined && options[group] === true);
    const { dryRun = false, yes = false, json = false } = options;
    const isRemoving = !dryRun && chosen.length > 0;
    if (!json || !isRemoving)
      answer({ items, wouldRemove: chosen.map(({ where }) => where) }, () => {
        for (const line of table(items.map(rowOf))) out.hint(line);
        out.line();
        if (dryRun && chosen.length > 0)
          out.line(`Nothing was removed. This would be: ${chosen.map(({ where }) => where).join(", ")}`);
        else if (!isRemoving) out.line("Nothing was removed. Say what to remove: --data, --screenshots, --account");
      });
    if (!isRemoving) return undefined;
    const busy = await refuseRunning(settings);
    if (busy !== undefined) return busy;
    if (!yes) {
      using questions = openQuestions(host, signal);
      const reply = await questions.ask(
        `Remove ${chosen.map(({ where }) => where).join(", ")}? There is no way back. Type yes: `,
      );
      if (reply !== "yes") return refuse("aborted", "Nothing was removed.");
    }
    for (const item of chosen) removeItem(item, settings);
    answer({ removed: chosen.map(({ where }) => where) }, () => {
      for (const { where } of chosen) out.line(`Removed ${where}`);
    });
    return undefined;
  });
}

const rowOf = ({ what, where, bytes, group, advice }: Item): string[] => [
  what,
  bytes === undefined ? "" : sizeOf(bytes),
  where,
  group === undefined ? (advice ?? "") : `--${group}`,
];

/** Its files would be written again. */
async function refuseRunning(settings: Settings): Promise<Refusal | undefined> {
  const { home, host, platformPort } = settings;
  const isRunning =
    pidFileHolder(starterPidFile(home)) !== undefined ||
    isHeld(home) ||
    (await isBackplane(localUrl(host, platformPort)));
  if (!isRunning) return undefined;
  return refuse("not-applied", `A Backplane is running with ${home}. Nothing was removed.`, "Stop it first.");
}

/** Whether a platform, which may listen elsewhere, has this home folder. */
function isHeld(home: string): boolean {
  if (!existsSync(homeLockPath(home))) return false;
  const lock = openFileLock(homeLockPath(home));
  try {
    return !lock.tryTake();
  } finally {
    lock.release();
  }
}

/** Folders that settings name are removed only if nothing else is in them. */
function removeItem(item: Item, settings: Settings): void {
  const { home, logsFolder, projectsFolder } = settings;
  for (const path of pathsOf(item, settings)) rmSync(path, { recursive: true, force: true });
  for (const folder of [logsFolder, projectsFolder, home, item.where]) removeEmpty(folder);
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It is not empty, or not there.
  }
}
