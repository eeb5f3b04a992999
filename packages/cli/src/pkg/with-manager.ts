import { type Manager, openManager } from "@backplane/registry/manager";
import { baseUrlOf } from "../login/session.ts";
import { type Shown, showProgress } from "../progress.ts";
import { isRefusal, type Refusal } from "../refusal.ts";
import { type Outcome, type Running, runCommand } from "../run.ts";
import { openTerminal, type Terminal } from "../terminal.ts";
import { placeFor } from "./choose-place.ts";
import type { PkgOptions, Place } from "./place.ts";

export type DryRun = { dryRun?: boolean };

export type PkgContext = Running & {
  manager: Manager;
  place: Place;
  /** For remarks that are not part of the result. */
  err: Terminal;
  shown: Shown;
};

type Use = (context: PkgContext) => Promise<Outcome>;
type FindPlace = (
  host: NodeJS.Process,
  options: PkgOptions,
  running: Running,
) => Place | Refusal | Promise<Place | Refusal>;

/** Runs a command on the packages of a folder. Returns the exit code. */
export const withManager = (
  host: NodeJS.Process,
  options: PkgOptions,
  use: Use,
  findPlace: FindPlace = placeFor,
): Promise<number> =>
  runCommand(host, options, async (running) => {
    const place = await findPlace(host, options, running);
    return isRefusal(place) ? place : useManager(host, options, { ...running, place }, use);
  });

/** The same within a command that is already running. */
export async function useManager(
  host: NodeJS.Process,
  options: PkgOptions,
  running: Running & { place: Place },
  use: Use,
): Promise<Outcome> {
  const { place, signal } = running;
  // Also cleared before an error is reported.
  using shown = showProgress(host.stderr, { isDumb: host.env.TERM === "dumb", isQuiet: running.json });
  await using stack = new AsyncDisposableStack();
  const manager = await openManager({
    ...{ root: place.root, brand: place.brand, tool: place.tool, fetch, now: Date.now },
    ...(place.stateFile === undefined ? {} : { stateFile: place.stateFile }),
    ...(options.offline === undefined ? {} : { offline: options.offline }),
    ...(options.strict === undefined ? {} : { strict: options.strict }),
    signal,
    onProgress: shown.show,
  });
  stack.defer(() => manager.close());
  const answer: Running["answer"] = (value, print) => {
    shown[Symbol.dispose]();
    running.answer(value, print);
  };
  return await use({ ...running, answer, manager, shown, err: openTerminal(host.stderr, host.env) });
}

/** The repository of a Backplane: the one that was named, or the one that commands use. */
export const repositoryOf = (host: NodeJS.Process, { brand }: Place, options: Pick<PkgOptions, "url">): string =>
  `${baseUrlOf(host, options)}/registry/${brand}/repository.json`;

/** Adds the repository of the Backplane that was named; if no repository is configured, that of the usual one. */
export async function ensureRepository(
  host: NodeJS.Process,
  { manager, place, err, json }: PkgContext,
  options: Pick<PkgOptions, "url"> = {},
): Promise<void> {
  const known = await manager.repositories.list();
  if (options.url === undefined && known.length > 0) return;
  const address = repositoryOf(host, place, options);
  if (known.some((one) => one.url === address)) return;
  if (!json)
    err.line(err.paint("off", `${known.length === 0 ? "No repository yet" : "A new repository"}: adding ${address}`));
  await manager.repositories.add(address);
}
