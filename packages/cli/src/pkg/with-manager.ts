import { EXIT } from "@backplane/contract/problems";
import { loadSettings, SettingsFault } from "@backplane/kit/settings";
import { type Manager, ManagerFault, openManager } from "@backplane/registry/manager";
import { isRefusal, tell } from "../connect/refusal.ts";
import { toldToStop } from "../connect/told-to-stop.ts";
import { openTerminal, type Terminal } from "../terminal.ts";
import type { PkgOptions } from "./options.ts";
import { type Place, placeOf } from "./place.ts";
import { showProgress } from "./progress.ts";
import { refusalOf } from "./refusal.ts";

export type Ground = {
  manager: Manager;
  place: Place;
  /** Where results go. */
  out: Terminal;
  /** Where remarks go. */
  err: Terminal;
  json: boolean;
  /** A result for programs; for people, `draw`. */
  answer(value: unknown, draw: () => void): void;
};

/** Opens the packages of a folder, does something with them, and says what is refused. Returns the exit code. */
export async function withManager(
  host: NodeJS.Process,
  options: PkgOptions,
  use: (ground: Ground) => Promise<number | undefined>,
): Promise<number> {
  const json = options.json === true;
  const place = placeOf(host, options);
  if (isRefusal(place)) return tell(host, json, place);
  const out = openTerminal(host.stdout);
  const err = openTerminal(host.stderr);
  using told = toldToStop(host);
  const shown = showProgress(host.stderr, { isDumb: host.env.TERM === "dumb", isQuiet: json });
  // What is said must not stand in a line that turns.
  const quietly = <Result>(draw: () => Result): Result => {
    shown[Symbol.dispose]();
    return draw();
  };
  try {
    const manager = await openManager({
      ...{ root: place.root, brand: place.brand, tool: place.tool, fetch, now: Date.now },
      ...(place.stateFile === undefined ? {} : { stateFile: place.stateFile }),
      ...(options.offline === undefined ? {} : { offline: options.offline }),
      ...(options.strict === undefined ? {} : { strict: options.strict }),
      signal: told.signal,
      onProgress: shown.show,
    });
    try {
      const answer = (value: unknown, draw: () => void) =>
        quietly(() => (json ? out.line(JSON.stringify(value)) : draw()));
      return (await use({ manager, place, out, err, json, answer })) ?? EXIT.done;
    } finally {
      await manager.close();
    }
  } catch (error) {
    if (told.signal.aborted) {
      return quietly(() => tell(host, json, { code: "aborted", message: "Stopped.", exit: told.exitCode() }));
    }
    return quietly(() => tell(host, json, refusalOf(error)));
  } finally {
    shown[Symbol.dispose]();
  }
}

/** Without a repository there is nothing to find: the Backplane of this machine or folder is the first one. */
export async function ensureRepository(host: NodeJS.Process, ground: Ground): Promise<void> {
  const { manager, place, err, json } = ground;
  if ((await manager.repositories.list()).length > 0) return;
  const url = `${baseUrlOf(host)}/registry/${place.brand}/repository.json`;
  if (!json) err.line(err.paint("off", `No repository yet: adding ${url}`));
  await manager.repositories.add(url);
}

function baseUrlOf(host: NodeJS.Process): string {
  try {
    return loadSettings(host.env, host.cwd()).settings.baseUrl;
  } catch (fault) {
    if (!(fault instanceof SettingsFault)) throw fault;
    throw new ManagerFault("bad-url", `The settings have a fault: ${fault.message.replaceAll("\n", " ")}`);
  }
}
