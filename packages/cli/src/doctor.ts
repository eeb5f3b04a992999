import { existsSync, globSync } from "node:fs";
import { access, constants } from "node:fs/promises";
import { connect } from "node:net";
import { delimiter, join } from "node:path";
import { EXIT } from "@backplane/contract/problems";
import type { Finding } from "@backplane/contract/system";
import { openBus } from "@backplane/kit/bus";
import { checkUp, readDisks, settingFindings } from "@backplane/kit/checkup";
import { openDatabase, sqliteFaultIn } from "@backplane/kit/database";
import { readInstances } from "@backplane/kit/instances";
import { isLoopbackUrl } from "@backplane/kit/loopback";
import { loadSettings, localUrl, type Settings, SettingsFault } from "@backplane/kit/settings";
import { homeFaultLeavingNothing, isBackplane, portFault, portsOf } from "./preflight.ts";
import { openTerminal, SHAPES } from "./terminal.ts";

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
  const tools = [await ffmpegFinding(host.env.PATH), ...(await toolFindings(host.env.PATH))];
  try {
    const { settings } = loadSettings(host.env, host.cwd());
    const found = await Promise.all([
      ...portsOf(settings).map(([name, port]) => portFinding(name, settings, port)),
      serviceFindings(settings),
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

async function portFinding(name: string, { host }: Settings, port: number): Promise<Finding> {
  const check = `${name} port`;
  const fault = await portFault(name, host, port);
  if (!fault) return { check, state: "ok", says: `${port} is free` };
  if (await isBackplane(localUrl(host, port)))
    return { check, state: "ok", says: `${port} is in use by a running Backplane` };
  return { check, state: "fault", says: fault, fix: `Find the program with: ss -ltnp 'sport = :${port}'` };
}

/** What the System page of a running platform says, too. */
async function serviceFindings(settings: Settings): Promise<Finding[]> {
  const { home, logsFolder, archives, projectsFolder, databaseUrl, redisUrl } = settings;
  // Before anything is asked: loading code keeps this process from noticing in time that it was answered.
  const { knownBackups } = await import("@backplane/platform/backup");
  await using opened = new AsyncDisposableStack();
  const base = {
    home,
    homeFault: async () => homeFaultLeavingNothing(home, logsFolder),
    disks: () => readDisks({ home, archives, projectsFolder }),
    bus: {
      engine: redisUrl === undefined ? ("in-process" as const) : ("redis" as const),
      async ping() {
        const bus = await openBus({ url: redisUrl, now: Date.now, onFault: () => {} });
        await bus.ping().finally(() => bus.close());
      },
    },
    backups: async () => ({
      ...{ every: settings.backups.every, isPublic: !isLoopbackUrl(settings.baseUrl), nowMs: Date.now() },
      backups: await knownBackups(settings),
    }),
    devices: () => devicesUnderCheck(settings),
  };
  if (databaseUrl === undefined) {
    const database = { engine: "sqlite" as const, fault: () => sqliteFaultIn(home) };
    return checkUp({ ...base, database, instances: async () => [] });
  }
  const database = await openDatabase<unknown>({ url: databaseUrl, home, onLostConnection: () => {} });
  opened.defer(() => database.close());
  return await checkUp({
    ...base,
    database: { engine: "postgres", fault: async () => void (await database.ping()) },
    async instances() {
      await database.ping();
      // Before the first start there is no table.
      return readInstances(database).catch(() => []);
    },
  });
}

const BROKER_MS = 3_000;
const MQTT_PORTS = { "mqtt:": 1883, "mqtts:": 8883, "ws:": 80, "wss:": 443 } as const;

/** A running platform says in /ready whether devices can connect; otherwise the port or the broker is tried. */
async function devicesUnderCheck({ host, platformPort, mqttPort, mqttUrl, redisUrl }: Settings) {
  if (mqttUrl !== undefined) {
    const { hostname, port, protocol } = new URL(mqttUrl);
    const at = Number(port) || MQTT_PORTS[protocol as keyof typeof MQTT_PORTS];
    const where = `${protocol}//${hostname}:${at}`;
    const isThere = await answersAt(hostname.replace(/^\[|\]$/g, ""), at);
    const fault = `No MQTT broker answers at ${where}. Start it, or correct MQTT_URL.`;
    return isThere ? { where } : { where, fault };
  }
  // That REDIS_URL needs MQTT_URL is among the settings.
  if (mqttPort === undefined || redisUrl !== undefined) return undefined;
  const where = `port ${mqttPort}`;
  const fault = await portFault("mqtt", host, mqttPort);
  if (fault === undefined) return { where };
  const degraded = await degradedAt(localUrl(host, platformPort));
  return degraded?.includes("devices") === false ? { where } : { where, fault };
}

function answersAt(host: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host, port, timeout: BROKER_MS }, () => resolve(true));
  socket.once("error", () => resolve(false));
  socket.once("timeout", () => resolve(false));
  return promise.finally(() => socket.destroy());
}

/** What a running platform is without; undefined: none runs there. */
async function degradedAt(url: string): Promise<readonly string[] | undefined> {
  try {
    const response = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(BROKER_MS) });
    const { degraded = [] } = (await response.json()) as { degraded?: (string | { name: string })[] };
    return degraded.map((one) => (typeof one === "string" ? one : one.name));
  } catch {
    return undefined;
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

/** Cameras with H.264 work without it. */
async function ffmpegFinding(path: string | undefined): Promise<Finding> {
  const check = "ffmpeg";
  const place = await findTool(["ffmpeg"], path);
  if (place !== undefined) return { check, state: "ok", says: `${place}, for the test camera and to convert video` };
  const says = "not installed; only the test camera and converting video need it";
  return { check, state: "note", says, fix: "Install it, such as with: apt install ffmpeg" };
}

async function findTool(names: readonly string[], path = ""): Promise<string | undefined> {
  const places = names.flatMap((name) =>
    name.startsWith("/") ? [name] : path.split(delimiter).map((folder) => join(folder, name)),
  );
  for (const place of places) {
    const isThere = await access(place, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return place;
  }
  return undefined;
}

async function toolFinding(check: string, names: readonly string[], path: string | undefined): Promise<Finding> {
  const place = await findTool(names, path);
  if (place !== undefined) return { check, state: "ok", says: `${place}, for npm test` };
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
  const tones = { ok: "ok", note: "off", warning: "warn", fault: "danger" } as const;
  for (const { check, state, says, cost, fix } of findings) {
    const tone = tones[state];
    terminal.line(`  ${terminal.paint(tone, SHAPES[tone])} ${check.padEnd(width)}  ${says}`);
    const next = [cost, fix].filter(Boolean).join(" ");
    if (next) terminal.line(`    ${" ".repeat(width)}  ${terminal.paint("off", next)}`);
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
