import type { Overview, ProcessReport } from "@backplane/contract/platform";
import { type Finding, type QuotaUse, SYSTEM_LIMITS, System } from "@backplane/contract/system";
import type { DevicesArea } from "@backplane/devices";
import type { OpenBus } from "@backplane/kit/bus";
import { checkUp, readDisks, settingFindings } from "@backplane/kit/checkup";
import type { Clock } from "@backplane/kit/clock";
import { type Database, readDatabaseFacts } from "@backplane/kit/database";
import type { App } from "@backplane/kit/http";
import type { Instance, Instances } from "@backplane/kit/instances";
import { isLoopbackUrl } from "@backplane/kit/loopback";
import { Problem } from "@backplane/kit/problems";
import type { Quotas, Settings } from "@backplane/kit/settings";
import { VERSION } from "@backplane/kit/version";
import type { PanelsArea } from "@backplane/panels";
import type { RegistryArea } from "@backplane/registry";
import type { FastifyRequest } from "fastify";
import type { Schedule } from "../backup/scheduling/schedule.ts";
import { rememberCallers } from "../remember-callers.ts";
import { archivesFinding, processFindings, quotaFindings } from "./findings.ts";
import type { History, Measured } from "./history.ts";
import { createPart } from "./part.ts";

export type SystemOptions = {
  settings: Settings;
  /** The name of this instance among the others. */
  self: string;
  now: Clock;
  requireInstanceOwner(request: FastifyRequest): Promise<unknown>;
  database: Database<unknown>;
  bus: Pick<OpenBus, "engine" | "ping">;
  instances: Pick<Instances, "read">;
  reports: () => Promise<ProcessReport[]>;
  /** `backplane up` started this process, so the others should run on this machine, too. */
  isOfUp: boolean;
  disk: { check(): Promise<void> };
  nameOf: (ownerId: string) => Promise<string | undefined>;
  panels: Pick<PanelsArea, "totals">;
  registry: Pick<RegistryArea, "totals" | "ping">;
  devices: Pick<DevicesArea, "address" | "fault">;
  backups: Pick<Schedule, "read">;
  history: Pick<History, "read">;
  /** For tests. */
  timeoutMs?: number;
};

/** GET /api/system: everything that the System page shows, each part within its time. */
export function serveSystem(app: App, options: SystemOptions): void {
  const { settings, self, now, requireInstanceOwner, database, bus } = options;
  const startedAt = new Date(now()).toISOString();
  const isOwner = rememberCallers(async (request) => (await requireInstanceOwner(request)) !== undefined, now);
  const parts = openParts(options);
  app.get(
    "/api/system",
    {
      schema: {
        tags: ["Operation"],
        summary: "What the owner needs to run this Backplane: instances, processes, database, bus, storage, checks",
        description: "Parts that do not answer in time are absent and named in `silent`.",
        access: "instance-owner",
        response: { 200: System },
      },
    },
    async (request, reply) => {
      reply.header("cache-control", "no-store");
      await isOwner(request);
      const silent: string[] = [];
      const heard = async <T>(name: string, part: () => Promise<T>): Promise<T | undefined> =>
        part().catch(() => {
          silent.push(name);
          return undefined;
        });
      const [instances, processes, databaseMs, facts, busMs, , totals, disks, quotas, history, findings] =
        await Promise.all([
          heard("instances", parts.instances),
          heard("processes", parts.processes),
          heard("database", parts.databaseMs),
          heard("size of the database", parts.facts),
          heard("bus", parts.busMs),
          heard("archives", parts.archives),
          heard("storage", parts.totals),
          heard("disks", parts.disks),
          heard("quotas", parts.quotas),
          heard("history", parts.history),
          checks(options, parts),
        ]);
      return {
        ...{ version: VERSION, startedAt },
        ...(instances && { instances: instances.slice(0, SYSTEM_LIMITS.maxInstances).map(toInstance(self)) }),
        ...(processes && { processes }),
        database: { engine: database.engine, ...facts, ...(databaseMs !== undefined && { answerMs: databaseMs }) },
        bus: { engine: bus.engine as Overview["bus"], ...(busMs !== undefined && { answerMs: busMs }) },
        ...(totals && {
          storage: {
            archives: {
              ...{ kind: settings.archives.kind, bytes: totals.published.archiveBytes },
              versions: totals.published.versions,
            },
            files: { bytes: totals.files.bytes },
          },
        }),
        ...(disks && { disks }),
        ...(quotas && { quotas }),
        ...(history && { history }),
        ...{ findings, silent },
      };
    },
  );
}

type Parts = ReturnType<typeof openParts>;

function openParts(options: SystemOptions) {
  const {
    settings,
    now,
    database,
    bus,
    instances,
    reports,
    isOfUp,
    disk,
    nameOf,
    panels,
    registry,
    devices,
    backups,
    history,
  } = options;
  const { partCacheMs, partTimeoutMs, sizesCacheMs, maxQuotas } = SYSTEM_LIMITS;
  const { timeoutMs = partTimeoutMs } = options;
  const part = <T>(read: () => Promise<T>, cacheMs: number = partCacheMs) =>
    createPart({ read, cacheMs, timeoutMs, now });
  const totals = part(async (): Promise<Totals> => {
    const [files, published] = await Promise.all([panels.totals(maxQuotas), registry.totals(maxQuotas)]);
    return { files, published };
  }, sizesCacheMs);
  return {
    totals,
    instances: part(() => instances.read()),
    processes: part(async () => (await reports()).filter(({ state }) => isOfUp || state !== "unreachable")),
    databaseMs: part(() => timeOf(() => database.ping())),
    facts: part(() => readDatabaseFacts(database), sizesCacheMs),
    busMs: part(() => timeOf(() => bus.ping())),
    archives: part(async () => registry.ping()),
    disks: part(() => readDisks(settings)),
    home: part(() => disk.check()),
    devices: part(async () => {
      if (settings.mqttUrl === undefined && settings.mqttPort === undefined) return undefined;
      return {
        where: devices.address() ?? `port ${settings.mqttPort}, once there is a device key`,
        fault: devices.fault(),
      };
    }),
    backups: part(async () => (await backups.read()).backups),
    history: part(() => history.read(), sizesCacheMs),
    quotas: part(async () => fullestQuotas(await totals(), settings.quotas, nameOf), sizesCacheMs),
  };
}

/** What is kept as history. */
export async function measureSystem({
  database,
  panels,
  registry,
}: Pick<SystemOptions, "database" | "panels" | "registry">): Promise<Measured> {
  const answerMs = await timeOf(() => database.ping());
  const [facts, files, published] = await Promise.all([
    readDatabaseFacts(database),
    panels.totals(0),
    registry.totals(0),
  ]);
  return { answerMs, databaseBytes: facts.bytes, archiveBytes: published.archiveBytes, fileBytes: files.bytes };
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return Math.round((performance.now() - startedMs) * 10) / 10;
}

const toInstance =
  (self: string) =>
  ({ name, version, startedAtMs, clockOffsetMs, connected, memoryBytes, answersMs }: Instance) => ({
    ...{ name, isThis: name === self, clockOffsetMs },
    ...(version !== undefined && { version }),
    ...(startedAtMs !== undefined && { startedAt: new Date(startedAtMs).toISOString() }),
    ...(connected !== undefined && { connected }),
    ...(memoryBytes !== undefined && { memoryBytes }),
    ...(answersMs !== undefined && { answersMs: [...answersMs] }),
  });

type Totals = {
  files: Awaited<ReturnType<PanelsArea["totals"]>>;
  published: Awaited<ReturnType<RegistryArea["totals"]>>;
};

async function fullestQuotas(
  { files, published }: Totals,
  quotas: Quotas,
  nameOf: SystemOptions["nameOf"],
): Promise<QuotaUse[]> {
  type Use = Omit<QuotaUse, "owner"> & { ownerId: string };
  const uses: Use[] = [
    ...files.byBytes.map(({ ownerId, bytes: used }) => ({
      ...{ ownerId, of: "files" as const, used, max: quotas.fileBytes },
    })),
    ...published.byBytes.map(({ ownerId, archiveBytes: used }) => ({
      ...{ ownerId, of: "archives" as const, used, max: quotas.archiveBytes },
    })),
    ...published.byPackages.map(({ ownerId, packages: used }) => ({
      ...{ ownerId, of: "packages" as const, used, max: quotas.packages },
    })),
  ];
  const fullest = uses
    .filter(({ used }) => used > 0)
    .sort((a, b) => b.used / b.max - a.used / a.max)
    .slice(0, SYSTEM_LIMITS.maxQuotas);
  return Promise.all(
    fullest.map(async ({ ownerId, ...use }) => ({ owner: (await nameOf(ownerId)) ?? "a removed account", ...use })),
  );
}

/** What `backplane doctor` says, and what only a running platform knows. */
async function checks({ settings, isOfUp, database, bus, now }: SystemOptions, parts: Parts): Promise<Finding[]> {
  const [common, processes, archives, quotas] = await Promise.all([
    checkUp({
      home: settings.home,
      homeFault: () => parts.home().then(() => undefined, detailOf),
      disks: parts.disks,
      database: { engine: database.engine, fault: async () => void (await parts.databaseMs()) },
      instances: parts.instances,
      bus: { engine: bus.engine, ping: async () => void (await parts.busMs()) },
      backups: async () => ({
        ...{ every: settings.backups.every, isPublic: !isLoopbackUrl(settings.baseUrl), nowMs: now() },
        backups: await parts.backups(),
      }),
      devices: parts.devices,
    }),
    parts.processes().catch(() => []),
    parts.archives().then(
      () => [],
      (error: unknown) => [archivesFinding(error)],
    ),
    parts.quotas().catch(() => []),
  ]);
  const ofSettings = settingFindings(settings, isOfUp ? undefined : "platform");
  return [...ofSettings, ...common, ...archives, ...processes.flatMap(processFindings), ...quotaFindings(quotas)];
}

/** A Problem says what is wrong with the disk; a disk that hangs says nothing. */
function detailOf(error: unknown): string {
  if (error instanceof Problem && error.detail !== undefined) return error.detail;
  throw error;
}
