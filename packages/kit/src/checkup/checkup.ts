import type { Disk, Finding } from "@backplane/contract/system";
import type { Bus } from "../bus/index.ts";
import type { Engine } from "../database/database.ts";
import { behindInVersion, clusterFaults, type Instance } from "../instances/index.ts";
import type { Part } from "../parts.ts";
import { settingWarnings } from "../setting-warnings.ts";
import type { Settings } from "../settings.ts";
import { type BackupsUnderCheck, backupFinding } from "./backups.ts";
import { diskFinding } from "./disks.ts";

/** A check that takes longer counts as not answered. */
const CHECK_TIMEOUT_MS = 5_000;

/** What is checked: `backplane doctor` opens it for that, a platform passes what it uses. */
export type UnderCheck = {
  home: string;
  /** Why it cannot be used; undefined if it can. */
  homeFault(): Promise<string | undefined>;
  disks(): Promise<readonly Disk[]>;
  database: {
    engine: Engine;
    /** As a sentence, or by rejecting; undefined: it works. */
    fault(): Promise<string | undefined>;
  };
  instances(): Promise<readonly Instance[]>;
  bus: Pick<Bus, "engine" | "ping">;
  backups(): Promise<BackupsUnderCheck>;
  /** Where devices connect, and why they cannot; undefined: nowhere, as it is set. */
  devices(): Promise<{ where: string; fault?: string | undefined } | undefined>;
};

/**
 * The checks that `backplane doctor` and the System page share, in the same words. All run at the same time, and each ends:
 * what does not answer is a finding, too.
 */
export async function checkUp(under: UnderCheck): Promise<Finding[]> {
  const found = await Promise.all([
    checkHome(under),
    inTime(async () => (await under.disks()).map(diskFinding), []),
    checkDatabase(under),
    under.database.engine === "postgres" ? inTime(() => checkInstances(under), []) : [],
    checkBus(under.bus),
    // Without a database nobody knows, and that is said already.
    inTime(async () => [backupFinding(await under.backups())], []),
    inTime(() => checkDevices(under), []),
  ]);
  return found.flat();
}

/** Settings that do not fit together, also in the words of `backplane up`. */
export function settingFindings(settings: Settings, part?: Part): Finding[] {
  const check = "settings";
  const warnings = settingWarnings(settings, part);
  return [
    { check, state: "ok", says: "all valid" },
    ...warnings.map(({ sentence }): Finding => ({ check, state: "warning", says: sentence })),
  ];
}

function checkHome({ home, homeFault }: UnderCheck): Promise<Finding[]> {
  const check = "home folder";
  const fault = (says: string, fix: string): Finding[] => [
    { check, state: "fault", says, cost: "Nothing can be saved.", fix },
  ];
  return inTime(
    async () => {
      const says = await homeFault();
      if (says === undefined) return [{ check, state: "ok", says: `${home} is writable` }];
      return fault(says, "Set BACKPLANE_HOME to a folder that you can write to.");
    },
    fault(`The disk with BACKPLANE_HOME, ${home}, does not answer`, "Check the disk, or the share that it is."),
  );
}

function checkDatabase({ home, database: { engine, fault } }: UnderCheck): Promise<Finding[]> {
  const check = "database";
  const cost = "Nobody can sign in, publish or open a workspace.";
  const isSqlite = engine === "sqlite";
  return inTime(async () => {
    const says = await fault();
    if (says !== undefined) return [{ check, state: "fault", says, cost }];
    return [{ check, state: "ok", says: isSqlite ? `SQLite in ${home}` : "PostgreSQL answers" }];
  }, [
    isSqlite
      ? { check, state: "fault", says: `The database in ${home} does not answer`, cost, fix: "Check the disk." }
      : {
          ...{ check, state: "fault", says: "PostgreSQL does not answer at DATABASE_URL", cost },
          fix: "Start it, or correct DATABASE_URL.",
        },
  ]);
}

/** What the platforms that run now, on whatever machine, say about themselves. */
async function checkInstances({ instances }: UnderCheck): Promise<Finding[]> {
  const check = "instances";
  const all = await instances();
  const behind = behindInVersion(all);
  const found: Finding[] = [
    ...clusterFaults(all).map(({ says, cost, fix }): Finding => ({ check, state: "fault", says, cost, fix })),
    ...(behind ? [{ check, state: "warning" as const, ...behind }] : []),
  ];
  if (found.length > 0) return found;
  if (all.length === 0) return [{ check, state: "ok", says: "no platform runs on this database" }];
  const names = all.map(({ name }) => name).join(", ");
  return [{ check, state: "ok", says: all.length === 1 ? names : `${names}: settings, versions and clocks agree` }];
}

async function checkBus({ engine, ping }: UnderCheck["bus"]): Promise<Finding[]> {
  const check = "message bus";
  if (engine === "in-process") return [{ check, state: "ok", says: "in-process" }];
  return inTime(async () => {
    await ping();
    return [{ check, state: "ok", says: "Redis answers" }];
  }, [
    {
      ...{ check, state: "fault", says: "Redis does not answer at REDIS_URL" },
      cost: "Codes are not delivered, and what happens at one platform does not reach the others.",
      fix: "Start it, or correct REDIS_URL.",
    },
  ]);
}

async function checkDevices({ devices }: UnderCheck): Promise<Finding[]> {
  const check = "devices";
  const found = await devices();
  if (!found) return [{ check, state: "note", says: "cannot connect: MQTT_PORT is off" }];
  const { where, fault } = found;
  if (fault === undefined) return [{ check, state: "ok", says: `connect to ${where}` }];
  return [{ check, state: "warning", says: fault, cost: "Devices cannot connect. Everything else works." }];
}

/** What the check finds; `silent` if it fails or does not answer in time. */
async function inTime(check: () => Promise<Finding[]>, silent: Finding[]): Promise<Finding[]> {
  const late = Promise.withResolvers<Finding[]>();
  const timer = setTimeout(() => late.resolve(silent), CHECK_TIMEOUT_MS);
  try {
    return await Promise.race([check(), late.promise]);
  } catch {
    return silent;
  } finally {
    clearTimeout(timer);
  }
}
