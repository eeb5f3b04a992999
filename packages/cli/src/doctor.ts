import { existsSync, globSync } from "node:fs";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { EXIT } from "@backplane/contract/problems";
import { openBus } from "@backplane/kit/bus";
import { type Database, openDatabase, sqliteFaultIn } from "@backplane/kit/database";
import { clusterFaults, readInstances } from "@backplane/kit/instances";
import { settingWarnings } from "@backplane/kit/setting-warnings";
import { loadSettings, localUrl, type Settings, SettingsFault } from "@backplane/kit/settings";
import { homeFaultLeavingNothing, isBackplane, portFault, portsOf } from "./preflight.ts";
import { openTerminal, SHAPES } from "./terminal.ts";

/** ok: fine. note: missing, but Backplane runs without it. fault: Backplane cannot run. */
export type Finding = { check: string; state: "ok" | "note" | "fault"; says: string; fix?: string };

const NEEDED_NODE = 24;

/** Checks everything that Backplane needs, and prints a fix for each fault. Returns the exit code. */
export async function doctor(host: NodeJS.Process, { json = false }: { json?: boolean }): Promise<number> {
  const findings = await examine(host);
  const isFine = findings.every(({ state }) => state !== "fault");
  if (json) host.stdout.write(`${JSON.stringify({ ok: isFine, findings }, undefined, 2)}\n`);
  else print(host, findings, isFine);
  return isFine ? EXIT.done : EXIT.failed;
}

async function examine(host: NodeJS.Process): Promise<Finding[]> {
  const node = nodeFinding(host.versions.node);
  const tools = await toolFindings(host.env.PATH);
  try {
    const { settings } = loadSettings(host.env, host.cwd());
    const found = await Promise.all([
      homeFinding(settings),
      ...portsOf(settings).map(([name, port]) => portFinding(name, settings, port)),
      databaseFindings(settings),
      busFinding(settings),
    ]);
    return [node, ...settingFindings(settings), ...found.flat(), ...tools];
  } catch (fault) {
    if (!(fault instanceof SettingsFault)) throw fault;
    const faults = fault.faults.map(
      ({ name, message }): Finding => ({
        check: name,
        state: "fault",
        says: message,
        fix: `Correct ${name} in the environment or .env.`,
      }),
    );
    return [node, ...faults, ...tools];
  }
}

function nodeFinding(version: string): Finding {
  return Number.parseInt(version, 10) >= NEEDED_NODE
    ? { check: "Node.js", state: "ok", says: version }
    : {
        check: "Node.js",
        state: "fault",
        says: `${version}, too old`,
        fix: `Run npm ci, which installs Node ${NEEDED_NODE}.`,
      };
}

function settingFindings(settings: Settings): Finding[] {
  const check = "settings";
  const warnings = settingWarnings(settings).map(({ sentence }): Finding => ({ check, state: "note", says: sentence }));
  return [{ check, state: "ok", says: "all valid" }, ...warnings];
}

async function homeFinding({ home, logsFolder }: Settings): Promise<Finding> {
  const fault = homeFaultLeavingNothing(home, logsFolder);
  return fault
    ? {
        check: "home folder",
        state: "fault",
        says: fault,
        fix: "Set BACKPLANE_HOME to a folder that you can write to.",
      }
    : { check: "home folder", state: "ok", says: `${home} is writable` };
}

async function portFinding(name: string, { host }: Settings, port: number): Promise<Finding> {
  const check = `${name} port`;
  const fault = await portFault(name, host, port);
  if (!fault) return { check, state: "ok", says: `${port} is free` };
  if (await isBackplane(localUrl(host, port)))
    return { check, state: "ok", says: `${port} is in use by a running Backplane` };
  return { check, state: "fault", says: fault, fix: `Find the program with: ss -ltnp 'sport = :${port}'` };
}

async function databaseFindings({ databaseUrl, home }: Settings): Promise<Finding[]> {
  const check = "database";
  if (databaseUrl === undefined) {
    const says = await sqliteFaultIn(home);
    return [says === undefined ? { check, state: "ok", says: `SQLite in ${home}` } : { check, state: "fault", says }];
  }
  const database = await openDatabase<unknown>({ url: databaseUrl, home, onLostConnection: () => {} });
  try {
    await database.ping();
    return [{ check, state: "ok", says: "PostgreSQL answers" }, ...(await instancesFindings(database))];
  } catch {
    const says = "PostgreSQL does not answer at DATABASE_URL";
    return [{ check, state: "fault", says, fix: "Start it, or correct DATABASE_URL." }];
  } finally {
    await database.close();
  }
}

/** What the platforms that run now, on whatever machine, say about themselves. */
async function instancesFindings(database: Database<unknown>): Promise<Finding[]> {
  const check = "instances";
  // Before the first start there is no table.
  const instances = await readInstances(database).catch(() => []);
  const faults = clusterFaults(instances);
  if (faults.length > 0) return faults.map(({ sentence }) => ({ check, state: "fault", says: sentence }));
  if (instances.length === 0) return [{ check, state: "ok", says: "no platform runs on this database" }];
  const names = instances.map(({ name }) => name).join(", ");
  return [{ check, state: "ok", says: instances.length === 1 ? names : `${names}: settings and clocks agree` }];
}

async function busFinding({ redisUrl }: Settings): Promise<Finding> {
  const check = "message bus";
  if (redisUrl === undefined) return { check, state: "ok", says: "in-process" };
  try {
    const bus = await openBus({ url: redisUrl, now: Date.now, onFault: () => {} });
    await bus.ping().finally(() => bus.close());
    return { check, state: "ok", says: "Redis answers" };
  } catch {
    return {
      check,
      state: "fault",
      says: "Redis does not answer at REDIS_URL",
      fix: "Start it, or correct REDIS_URL.",
    };
  }
}

/** Only the tests need these, and only a clone has tests. */
async function toolFindings(path: string | undefined): Promise<Finding[]> {
  if (!existsSync(new URL("../../../package-lock.json", import.meta.url))) return [];
  return Promise.all([
    toolFinding("Chromium", ["chromium", "chromium-browser", "google-chrome"], path),
    toolFinding("PostgreSQL server", ["postgres", ...globSync("/usr/lib/postgresql/*/bin/postgres")], path),
    toolFinding("Redis server", ["redis-server", "valkey-server"], path),
  ]);
}

async function toolFinding(check: string, names: readonly string[], path = ""): Promise<Finding> {
  const places = names.flatMap((name) =>
    name.startsWith("/") ? [name] : path.split(delimiter).map((folder) => join(folder, name)),
  );
  for (const place of places) {
    const isThere = await access(place, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return { check, state: "ok", says: `${place}, for npm test` };
  }
  return {
    check,
    state: "note",
    says: "not installed; only npm test needs it",
    fix: "npm test installs it if it can.",
  };
}

function print(host: NodeJS.Process, findings: readonly Finding[], isFine: boolean): void {
  const terminal = openTerminal(host.stdout, host.env);
  const width = Math.max(...findings.map(({ check }) => check.length));
  const tones = { ok: "ok", note: "off", fault: "danger" } as const;
  for (const { check, state, says, fix } of findings) {
    const tone = tones[state];
    terminal.line(`  ${terminal.paint(tone, SHAPES[tone])} ${check.padEnd(width)}  ${says}`);
    if (fix) terminal.line(`    ${" ".repeat(width)}  ${terminal.paint("off", fix)}`);
  }
  terminal.line();
  if (isFine && findings.some(({ says }) => says.includes("running Backplane"))) {
    terminal.line("Backplane is running here.");
    return;
  }
  terminal.hint(
    isFine
      ? "Backplane can run here. Start it with: backplane up"
      : "Backplane cannot run here yet. Fix what is marked with ■.",
  );
}
