import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makePrivateFolder } from "@backplane/kit/folder";
import { pidFileHolder, starterPidFile } from "@backplane/kit/pid-file";
import { isProcessAlive } from "@backplane/kit/process-alive";
import { type Environment, loadSettings, readSettings, type Settings } from "@backplane/kit/settings";
import { ownPath } from "./own-path.ts";

type Host = Pick<NodeJS.Process, "env" | "cwd">;

/** What `backplane up` leaves for the commands of this account, while it runs. */
type Running = {
  pid: number;
  addresses: Addresses;
  /** The folder whose screenshots its viewer has. */
  viewerProject?: string;
  /** Where its data is, without user names and passwords. */
  data?: Data;
};

type Data = ReturnType<typeof dataOf>;

const dataOf = ({ databaseUrl, home, archives, projectsFolder }: Settings) => {
  const { host, pathname } = databaseUrl === undefined ? { host: "", pathname: home } : new URL(databaseUrl);
  return {
    DATABASE_URL: host + pathname,
    ARCHIVES_URL: archives.kind === "folder" ? archives.folder : `s3://${archives.bucket}/${archives.prefix}`,
    PROJECTS_FOLDER: projectsFolder,
  };
};

/** The settings by which a Backplane is found. It is not secret. */
type Addresses = ReturnType<typeof addressesOf>;

const addressesOf = (settings: Settings) => ({
  HOST: settings.host,
  PLATFORM_PORT: String(settings.platformPort),
  GATEWAY_PORT: String(settings.gatewayPort),
  WATCHDOG_PORT: String(settings.watchdogPort),
  VIEWER_PORT: String(settings.viewerPort),
  BASE_URL: settings.baseUrl,
  AUTH_URL: settings.authUrl,
  GATEWAY_URL: settings.gatewayUrl,
  GATEWAY_WS_URL: settings.gatewayWsUrl,
  VIEWER_URL: settings.viewerUrl,
  BACKPLANE_HOME: settings.home,
});

/** Leaves the addresses in ~/.backplane/running/, until it is disposed of. Without them, commands need options. */
export function leaveAddresses(host: Pick<NodeJS.Process, "env" | "pid">, settings: Settings): Disposable {
  const folder = ownPath(host, "running");
  const name = createHash("sha256").update(settings.home).digest("hex").slice(0, 16);
  const file = join(folder, `${name}.json`);
  try {
    makePrivateFolder(folder);
    for (const { path } of recordsIn(folder).filter(({ running }) => !isRunning(running)))
      rmSync(path, { force: true });
    const running: Running = {
      ...{ pid: host.pid, addresses: addressesOf(settings) },
      ...{ viewerProject: settings.viewerProject, data: dataOf(settings) },
    };
    writeFileSync(`${file}.new`, JSON.stringify(running), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch (error) {
    // The home of an account may be read-only or missing.
    if (!("syscall" in (error as object))) throw error;
  }
  return { [Symbol.dispose]: () => rmSync(file, { force: true }) };
}

/**
 * The settings of a command: those of the environment and the working folder. If they say nothing about addresses, those of a
 * Backplane that this account runs: with this home folder, or if none was given, the one that was started last. Without
 * `envFile`, a file in the folder, which somebody else may have written, decides nothing.
 */
export function commandSettings(host: Host, { envFile = true } = {}): Settings {
  const { settings, environment } = envFile
    ? loadSettings(host.env, host.cwd())
    : { settings: readSettings(host.env, host.cwd()), environment: host.env };
  const addresses = findRunning(host, settings, environment)?.addresses;
  return addresses === undefined ? settings : readSettings({ ...environment, ...addresses }, host.cwd());
}

/** The folder of the viewer that runs with the Backplane that commands use, if they find it without given addresses. */
export function runningViewerProject(host: Host): string | undefined {
  const { settings, environment } = loadSettings(host.env, host.cwd());
  return findRunning(host, settings, environment)?.viewerProject;
}

/** The settings by which the Backplane that runs has its data elsewhere than these say. */
export function otherData(host: Host, settings: Settings): string[] {
  const own = loadSettings(host.env, host.cwd());
  const running: Partial<Data> = findRunning(host, own.settings, own.environment)?.data ?? {};
  return Object.entries(dataOf(settings)).flatMap(([name, place]) => {
    const there = running[name as keyof Data];
    return there === undefined || there === place ? [] : [name];
  });
}

function findRunning(host: Host, settings: Settings, environment: Environment): Running | undefined {
  const given = Object.keys(addressesOf(settings)).filter((name) => environment[name]?.trim());
  if (given.some((name) => name !== "BACKPLANE_HOME")) return undefined;
  const onlyThere = given.length > 0;
  const records = recordsIn(ownPath(host, "running"))
    .filter(({ running }) => isRunning(running))
    .sort((a, b) => b.leftAtMs - a.leftAtMs);
  const there = records.find(({ running }) => running.addresses.BACKPLANE_HOME === settings.home);
  return (there ?? (onlyThere ? undefined : records[0]))?.running;
}

function recordsIn(folder: string): { path: string; leftAtMs: number; running: Running }[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => {
      const path = join(folder, name);
      try {
        const running = JSON.parse(readFileSync(path, "utf8")) as Running;
        if (typeof running.addresses.BACKPLANE_HOME !== "string") return [];
        return [{ path, leftAtMs: statSync(path).mtimeMs, running }];
      } catch {
        // It was removed meanwhile, or is not ours.
        return [];
      }
    });
}

/** One that was killed could not remove its file. Where there is no /proc, another process may have its id by now. */
const isRunning = ({ pid, addresses }: Running): boolean =>
  existsSync("/proc/self") ? pidFileHolder(starterPidFile(addresses.BACKPLANE_HOME)) === pid : isProcessAlive(pid);
