import { hostname } from "node:os";
import { type AccountTables, ensureOwner, openAccountsArea } from "@backplane/accounts";
import { type DevicesTables, openDevicesArea } from "@backplane/devices";
import { type IntentTables, openIntentsArea } from "@backplane/intents";
import { type OpenBus, openBus } from "@backplane/kit/bus";
import { type Database, migrate, openDatabase } from "@backplane/kit/database";
import { watchDisk } from "@backplane/kit/disk-watch";
import { createHereCheck } from "@backplane/kit/http";
import { folderId, joinInstances } from "@backplane/kit/instances";
import { plainFetch } from "@backplane/kit/plain-fetch";
import { Problem } from "@backplane/kit/problems";
import { type ProcessContext, runProcess, StartFault, serve } from "@backplane/kit/process";
import type { ArchiveSettings, Settings } from "@backplane/kit/settings";
import { VERSION } from "@backplane/kit/version";
import { type OnCreated, openPanelsArea, type PanelsTables } from "@backplane/panels";
import { openRegistryArea, type RegistryTables } from "@backplane/registry";
import { createActivity, createGatewayReader } from "./activity.ts";
import { allMigrations } from "./all-migrations.ts";
import { placeFor } from "./backup/places/place-for.ts";
import { interruptedRestore } from "./backup/restoring/restore.ts";
import { serveBackups } from "./backup/scheduling/routes.ts";
import { openSchedule } from "./backup/scheduling/schedule.ts";
import { openFirstSteps } from "./first-steps.ts";
import { holdHome } from "./hold-home.ts";
import { createLatest, serveLatest } from "./latest.ts";
import { authenticateForDevices, openForDevices } from "./open-for-devices.ts";
import { createOpening } from "./opening.ts";
import { serveActivity, serveOverview } from "./overview.ts";
import { createReports } from "./probe.ts";
import { refuseEmptied } from "./refuse-emptied.ts";
import { simulators } from "./simulators.ts";
import { openHistory } from "./system/history.ts";
import { measureSystem, serveSystem } from "./system/system.ts";
import type { PlatformTables } from "./tables.ts";
import { serveUsage } from "./usage.ts";
import { openWeb } from "./web.ts";

type Tables = AccountTables & IntentTables & RegistryTables & PanelsTables & DevicesTables & PlatformTables;

await runProcess("platform", process, async (bare) => {
  const { settings, log } = bare;
  const web = openWeb({ command: settings.command, isHere: createHereCheck(settings) });
  const interrupted = interruptedRestore(settings.home);
  if (interrupted !== undefined) throw new StartFault(interrupted);
  const homeLock = settings.databaseUrl === undefined ? holdHome(settings.home) : undefined;
  let isStarting = true;
  const database = await openDatabase<Tables>({
    url: settings.databaseUrl,
    home: settings.home,
    connections: settings.databaseConnections,
    isStarting: () => isStarting,
    onLostConnection: (error) => log.warn({ err: error }, "lost a database connection"),
  });
  await prepareTables(database as Database<unknown>, settings);
  const firstStart = await ensureOwner({
    database,
    home: settings.home,
    name: settings.ownerName,
    password: settings.ownerPassword,
    now: Date.now,
  });
  if (firstStart)
    log.info(`created the owner's account: name, password and API key are in ${settings.home}/owner.json`);
  const bus = await openBus({
    url: settings.redisUrl,
    now: Date.now,
    onFault: (error) => log.warn({ err: error }, "bus fault"),
  });
  const activity = createActivity({
    ...{ database, now: Date.now },
    readGateway: createGatewayReader(settings, plainFetch),
    onFault: (error) => log.warn({ err: error }, "activity fault"),
  });
  const context = { ...bare, metrics: activity.observing(bare.metrics) };
  const onSignIn = () => activity.count("signIns");
  const latest = createLatest({
    ...{ database, now: Date.now },
    onFault: (error) => log.warn({ err: error }, "latest events fault"),
  });
  const onCreated: Shared["onCreated"] = ({ userId, owner, repo }) =>
    latest.note({ userId, kind: "workspace", what: `${owner}/${repo}` });
  const { accounts, intents, registry, panels, devices } = await openAreas(context, {
    database,
    bus,
    onSignIn,
    onCreated,
  });
  const { whoIsCalling, owners, requireInstanceOwner } = accounts;
  const firstSteps = openFirstSteps({
    ...{ database, whoIsCalling, trustProxy: settings.trustProxy, now: Date.now },
    onStep: (step) => step === "connect" && onSignIn(),
    onFault: (error) => log.warn({ err: error }, "first steps fault"),
  });
  const { home, archives } = settings;
  const self = `${hostname()}:${settings.platformPort}`;
  const reports = createReports(settings, plainFetch, Date.now);
  const instances = await joinInstances({
    ...{ database: database as Database<unknown>, log, now: Date.now },
    self: { name: self, version: VERSION, bus: bus.engine, archives: placeOf(archives) },
    vitals: () => ({ connected: panels.connected(), memoryBytes: process.memoryUsage.rss() }),
  });
  const backups = openSchedule({
    ...{ database, settings, now: Date.now },
    sweep: async (nowMs) => placeFor(settings, settings.backups.to).sweep(nowMs),
    onFault: (error) => log.warn({ err: error }, "backup fault"),
  });
  const history = openHistory({
    ...{ database, now: Date.now, onFault: (error) => log.warn({ err: error }, "history fault") },
    measure: () => measureSystem({ database: database as Database<unknown>, panels, registry }),
  });
  const disk = watchDisk({ folders: archives.kind === "folder" ? [home, archives.folder] : [home], log });
  const started = await serve(context, {
    port: settings.platformPort,
    url: settings.baseUrl,
    facts: { firstStart },
    drainDelayMs: settings.drainDelayMs,
    checks: { database: () => database.ping(), disk: disk.check },
    // Without Redis, people and programs still sign in, publish and read.
    optionalChecks: { bus: () => bus.ping(), instances: instances.check, devices: devices.check },
    answerFirst(request, response) {
      if (panels.answerFirst(request, response) || intents.answerFirst(request, response)) return true;
      firstSteps.noteKicad(request);
      return registry.answerFirst(request, response);
    },
    notFoundPage: (_request, reply) => web.notFoundPage(reply),
    apiDocs: {
      title: "Backplane",
      description: "The extension services of an electronics workspace.",
      version: VERSION,
      url: settings.baseUrl,
    },
    async addRoutes(app) {
      firstSteps.addRoutes(app);
      serveLatest(app, {
        ...{ latest, whoIsCalling, requireInstanceOwner, nameOf: owners.nameOf },
        onFault: (error) => log.warn({ err: error }, "latest events fault"),
      });
      serveBackups(app, { requireInstanceOwner, backups });
      serveActivity(app, { requireInstanceOwner, read: activity.read });
      serveOverview(app, {
        ...{ settings, folder: process.cwd(), now: Date.now, reports, whoIsCalling },
        ...{ database: database.engine, bus: bus.engine },
      });
      serveSystem(app, {
        ...{ settings, self, now: Date.now, requireInstanceOwner, database: database as Database<unknown>, bus },
        ...{
          isOfUp: process.connected,
          instances,
          reports,
          disk,
          devices,
          nameOf: owners.nameOf,
          panels,
          registry,
          backups,
          history,
        },
      });
      serveUsage(app, { whoIsCalling, resolve: owners.resolve, panels, registry, quotas: settings.quotas });
      accounts.addRoutes(app);
      await intents.addRoutes(app);
      await registry.addRoutes(app);
      await panels.addRoutes(app, devices.takesUpgrade);
      await devices.addRoutes(app, { unless: panels.isForFrame });
      await web.addRoutes(app, createOpening({ accounts, panels }));
    },
    async drain() {
      intents.drain();
      await Promise.all([panels.drain(), devices.drain()]);
    },
    async close() {
      disk.close();
      await backups.close();
      await history.close();
      await activity.close();
      await devices.close();
      await panels.close();
      await registry.close();
      await intents.close();
      await accounts.close();
      await bus.close();
      await instances.close();
      await latest.written();
      await database.close();
      homeLock?.release();
    },
  });
  isStarting = false;
  return started;
});

type Shared = { database: Database<Tables>; bus: OpenBus; onSignIn: () => void; onCreated: OnCreated };

/** Each area gets what it may use of the others. */
async function openAreas({ settings, log, metrics }: ProcessContext, { database, bus, onSignIn, onCreated }: Shared) {
  const everywhere = (area: string) => ({
    ...{ database, bus, settings, now: Date.now },
    onFault: (error: unknown) => log.warn({ err: error }, `${area} fault`),
  });
  const accounts = await openAccountsArea({ ...everywhere("accounts"), fetch, onSignIn });
  const { whoIsCalling, followAccess, owners, requireInstanceOwner, programSessions: sessions, forget } = accounts;
  const intents = await openIntentsArea({ ...everywhere("intents"), metrics, whoIsCalling, sessions, forget });
  const registry = await openRegistryArea({
    ...everywhere("registry"),
    ...{ metrics, fetch, whoIsCalling, owners, requireInstanceOwner },
  });
  const panels = await openPanelsArea({
    ...{ ...everywhere("panels"), metrics, whoIsCalling, followAccess, owners, onCreated },
    measured: (...asked) => devices.measure(...asked),
    ...{ panelPackages: registry.panels, libraryPackages: registry.libraries },
    otherTools: async () => [(await import("@backplane/devices/mcp")).DEVICE_TOOLS],
  });
  const devices = await openDevicesArea({
    ...{
      ...everywhere("devices"),
      metrics,
      note: panels.workspaces.note,
      followAccess: panels.workspaces.followAccess,
    },
    ...{ workspaceNamed: panels.workspaces.named, onWorkspaceRemoved: panels.workspaces.onRemoved },
    authenticate: authenticateForDevices(whoIsCalling),
    openWorkspace: openForDevices(whoIsCalling, panels),
    simulators: settings.simulators ? simulators : undefined,
  });
  return { accounts, intents, registry, panels, devices };
}

/** The same for all instances that share their archives. */
function placeOf(archives: ArchiveSettings): string {
  if (archives.kind === "folder") return folderId(archives.folder);
  return [archives.endpoint, archives.bucket, archives.prefix].join("/");
}

async function prepareTables(database: Database<unknown>, settings: Settings): Promise<void> {
  try {
    await refuseEmptied(database, settings);
    await migrate(database, allMigrations, Date.now);
  } catch (error) {
    const isAway = error instanceof Problem && error.code === "database-unavailable";
    if (!isAway) throw error;
    const why = "No PostgreSQL answers at DATABASE_URL. Start it, or correct the address.";
    throw new StartFault(why, { cause: error });
  }
}
