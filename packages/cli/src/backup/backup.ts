import { loadSettings, type Settings } from "@backplane/kit/settings";
import {
  type Progress,
  placeFor,
  readBackup,
  readPassphrase,
  runBackup,
  type Secret,
  sourceOf,
} from "@backplane/platform/backup";
import { openProgress } from "../progress.ts";
import { refuse } from "../refusal.ts";
import { runCommand } from "../run.ts";
import { commandSettings, otherData, runningViewerProject } from "../running.ts";
import { countOf, plain, sizeOf } from "../text.ts";
import { askPassphrase } from "./passphrase.ts";

type BackupOptions = { to?: string; passphraseFile?: string; askPassphrase?: boolean; json?: boolean; record?: string };

const STEPS: Record<Progress["step"], string> = {
  packages: "Copying packages",
  files: "Copying files",
  tables: "Copying tables",
  done: "Finishing",
};

/** From any folder: those of the Backplane that runs on this machine, with the screenshots of its viewer. */
function backupSettings(host: NodeJS.Process): Settings {
  const settings = commandSettings(host);
  const isGiven = Boolean(host.env.VIEWER_PROJECT?.trim());
  return { ...settings, viewerProject: (isGiven ? undefined : runningViewerProject(host)) ?? settings.viewerProject };
}

/** `backplane backup`: makes one, and says where it is. */
export function backup(host: NodeJS.Process, options: BackupOptions): Promise<number> {
  const whenStopped = "Stopped. Nothing was kept.";
  return runCommand(
    host,
    options,
    async ({ out, answer, signal, json }) => {
      // A platform's own backup has its environment, and looks for no other Backplane.
      const isOwn = options.record !== undefined;
      const settings = isOwn ? loadSettings(host.env, host.cwd()).settings : backupSettings(host);
      const other = isOwn ? [] : otherData(host, settings);
      if (other.length > 0) {
        const next = "Run this in the folder where it was started, or with the same environment.";
        return refuse("refused", `The Backplane that runs here has another ${other.join(" and ")}. ${next}`);
      }
      const file = options.passphraseFile ?? settings.backups.passphraseFile;
      const asked = options.askPassphrase === true ? await askPassphrase(host, signal, { twice: true }) : undefined;
      if (options.askPassphrase === true && asked === undefined)
        return refuse("wrong-usage", "The two passphrases differ, or are shorter than 8 characters.");
      const passphrase = asked ?? (file === undefined ? undefined : readPassphrase(file));
      using progress = openProgress(json ? { write: () => true } : host.stderr, host.env.TERM === "dumb", Date.now);
      const done = await runBackup({
        ...{ settings, to: options.to, passphrase, id: options.record, signal },
        onProgress: ({ step, bytes }) =>
          progress.says(host.stderr.isTTY ? `${STEPS[step]}, ${sizeOf(bytes)}` : STEPS[step]),
      });
      const { place, bytes, momentMs, removed } = done;
      const moment = new Date(momentMs).toISOString();
      answer({ place, bytes, moment, encrypted: passphrase !== undefined, removed }, () => {
        out.line(`${out.paint("ok", "●")} ${place}, ${sizeOf(bytes)}${passphrase === undefined ? "" : ", encrypted"}`);
        out.line(`  Everything that was answered before ${moment} is in it.`);
        if (removed.length > 0)
          out.line(`  Removed ${countOf(removed.length, "older backup")}: BACKUP_KEEP is ${settings.backups.keep}.`);
        if (passphrase === undefined)
          out.line("  It contains keys and password hashes. Keep it where only you can read it, or use a passphrase.");
      });
      return undefined;
    },
    { whenStopped },
  );
}

type ReadOptions = { passphraseFile?: string; json?: boolean };

/** A passphrase for reading: from the file, or asked for once. */
export function secretFor(
  host: NodeJS.Process,
  settings: Settings,
  { passphraseFile }: ReadOptions,
  signal: AbortSignal,
): Secret {
  const file = passphraseFile ?? settings.backups.passphraseFile;
  let known: Promise<string | undefined> | undefined;
  return {
    isGiven: file !== undefined,
    passphrase() {
      known ??= file === undefined ? askPassphrase(host, signal) : Promise.resolve(readPassphrase(file));
      return known;
    },
  };
}

/** `backplane backup verify`. */
export function verify(host: NodeJS.Process, place: string, options: ReadOptions): Promise<number> {
  return runCommand(host, options, async ({ out, answer, signal }) => {
    const settings = commandSettings(host);
    const source = sourceOf(settings, place, secretFor(host, settings, options, signal));
    const { beginning, summary, bytes } = await readBackup(source(), async () => signal.throwIfAborted());
    const { version, engine } = beginning;
    const { moment, entries, tables } = summary;
    answer({ place, bytes, moment, version, engine, entries, tables }, () => {
      out.line(
        `${out.paint("ok", "●")} Every byte is as it was written: ${sizeOf(bytes)}, ${countOf(entries, "entry", "entries")}.`,
      );
      out.line(`  As of ${plain(moment)}, from Backplane ${plain(version)} on ${plain(String(engine))}.`);
    });
    return undefined;
  });
}

/** `backplane backup list`. */
export function list(host: NodeJS.Process, options: { json?: boolean }): Promise<number> {
  return runCommand(host, options, async ({ out, answer }) => {
    const settings = commandSettings(host);
    const found = await placeFor(settings, settings.backups.to).list();
    const backups = found.map(({ place, bytes, modifiedMs }) => ({
      place,
      bytes,
      at: new Date(modifiedMs).toISOString(),
    }));
    answer({ backups }, () => {
      for (const { place, bytes, at } of backups) out.line(`${at}  ${sizeOf(bytes).padStart(9)}  ${place}`);
      if (backups.length === 0) {
        out.line(`There are no backups at ${settings.backups.to}.`);
        out.hint("Make one with: backplane backup");
      }
    });
    return undefined;
  });
}
