import { loadSettings } from "@backplane/kit/settings";
import { type Manager, openManager } from "@backplane/registry/manager";
import { showProgress } from "../progress.ts";
import { isRefusal } from "../refusal.ts";
import { type Outcome, type Running, runCommand } from "../run.ts";
import { openTerminal, type Terminal } from "../terminal.ts";
import type { PkgOptions } from "./place.ts";
import { type Place, placeOf } from "./place.ts";

export type DryRun = { dryRun?: boolean };

export type PkgContext = Running & {
  manager: Manager;
  place: Place;
  /** For remarks that are not part of the result. */
  err: Terminal;
};

/** Runs a command on the packages of a folder. Returns the exit code. */
export async function withManager(
  host: NodeJS.Process,
  options: PkgOptions,
  use: (context: PkgContext) => Promise<Outcome>,
): Promise<number> {
  using shown = showProgress(host.stderr, { isDumb: host.env.TERM === "dumb", isQuiet: options.json === true });
  const clearProgress = () => shown[Symbol.dispose]();
  const work = async (running: Running): Promise<Outcome> => {
    const place = placeOf(host, options);
    if (isRefusal(place)) return place;
    await using stack = new AsyncDisposableStack();
    const manager = await openManager({
      ...{ root: place.root, brand: place.brand, tool: place.tool, fetch, now: Date.now },
      ...(place.stateFile === undefined ? {} : { stateFile: place.stateFile }),
      ...(options.offline === undefined ? {} : { offline: options.offline }),
      ...(options.strict === undefined ? {} : { strict: options.strict }),
      signal: running.signal,
      onProgress: shown.show,
    });
    stack.defer(() => manager.close());
    const answer: Running["answer"] = (value, print) => {
      clearProgress();
      running.answer(value, print);
    };
    return await use({ ...running, answer, manager, place, err: openTerminal(host.stderr) });
  };
  return await runCommand(host, options, work, { beforeReport: clearProgress });
}

/** If no repository is configured, adds the one of the Backplane in the settings. */
export async function ensureRepository(host: NodeJS.Process, { manager, place, err, json }: PkgContext): Promise<void> {
  if ((await manager.repositories.list()).length > 0) return;
  const { baseUrl } = loadSettings(host.env, host.cwd()).settings;
  const url = `${baseUrl}/registry/${place.brand}/repository.json`;
  if (!json) err.line(err.paint("off", `No repository yet: adding ${url}`));
  await manager.repositories.add(url);
}
