import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { DEVICES_LIMITS, DEVICES_SOCKET_PATH, FOXGLOVE_PATH } from "@backplane/contract/devices";
import { type App, openToOrigins } from "@backplane/kit/http";
import type { Settings } from "@backplane/kit/settings";
import { createTickets } from "@backplane/kit/tickets";
import { type DeviceWorkspaces, openDeviceWorkspaces } from "./across/workspaces.ts";
import { openControl } from "./authority/control.ts";
import { createDeviceSettings } from "./authority/device-settings.ts";
import { serveControl } from "./authority/routes.ts";
import { createStops } from "./authority/stops.ts";
import { createFoxglove } from "./foxglove/foxglove.ts";
import type { Parts } from "./held.ts";
import { openHistory } from "./history/history.ts";
import { serveDeviceEvents } from "./hub/event-routes.ts";
import { createMeasure, type Measure } from "./hub/measured.ts";
import type { Grant } from "./hub/page.ts";
import { hubOpener, serveHub } from "./hub/routes.ts";
import { openDeviceSockets } from "./hub/socket.ts";
import { serveWaits } from "./hub/wait-routes.ts";
import { createKeptMemory } from "./model/kept-memory.ts";
import { openMqtt } from "./mqtt/mqtt.ts";
import { MQTT_PATH } from "./mqtt/websocket.ts";
import { READERS } from "./readers/readers.ts";
import { openRecordings } from "./recordings/recordings.ts";
import { createReplays } from "./recordings/replays.ts";
import { serveRecordings } from "./recordings/routes.ts";
import type { Dependencies, Mqtt } from "./services.ts";
import { serveSimulators } from "./simulators/routes.ts";
import { openSimulators } from "./simulators/simulators.ts";
import { ADAPTERS } from "./sources/adapters.ts";
import { type NetworkSettings, openNetwork } from "./sources/network.ts";
import { serveSources } from "./sources/routes.ts";
import { createSourceBook } from "./sources/sources.ts";
import { createSourceStore } from "./sources/store.ts";
import { openStreams, type StreamSettings } from "./streams/open.ts";

/** Devices of workspaces, ready to be mounted on an app. */
export type DevicesArea = {
  /** `unless`: upgrades that are for another area, whatever their path. */
  addRoutes(app: App, options: { unless(request: IncomingMessage): boolean }): Promise<void>;
  /** Whether an upgrade is for the sockets of this area. */
  takesUpgrade(request: IncomingMessage): boolean;
  /** What devices sent, for other areas. */
  measure: Measure;
  /** Where devices connect; null: nowhere, and `fault` says why. */
  address(): string | null;
  fault(): string | undefined;
  /** For /ready: without a broker everything else still works. */
  check(): Promise<void>;
  /** Pages connect again, to another instance or to this one's successor. What moves stops. */
  drain(): Promise<void>;
  close(): Promise<void>;
};

const UPGRADED: ReadonlySet<string> = new Set([DEVICES_SOCKET_PATH, FOXGLOVE_PATH, MQTT_PATH]);

/** Workspaces whose devices are opened at the start, when their broker is outside and wakes nobody. */
const MAX_OPENED_AT_START = 500;
/** How soon the sources of an instance that has ended are connected by another one. */
const KEEP_OPEN_MS = 5_000;

export async function openDevicesArea(
  dependencies: Dependencies & { settings: Pick<Settings, "panelOrigins"> & NetworkSettings & StreamSettings },
): Promise<DevicesArea> {
  const { database, bus, now, settings, onFault, onWorkspaceRemoved } = dependencies;
  const history = openHistory({ database, keepDays: settings.historyKeepDays, now, onFault });
  const streams = await openStreams(dependencies, (workspaceId) => workspaces.hold(workspaceId));
  const recordings = openRecordings({ ...dependencies, followVideos: streams.record });
  const replays = createReplays({ recordings, now, onFault });
  const tickets = createTickets<Grant>(bus.claims, { name: "devices-grant", lifeMs: DEVICES_LIMITS.ticketLifeMs });
  const stops = createStops(database);
  const deviceSettings = createDeviceSettings({ database, bus, onFault });
  const store = createSourceStore(database);
  const sources = createSourceBook({
    ...{ store, adapters: ADAPTERS, network: openNetwork(settings), bus, now, onFault },
    note: (workspaceId, level, message) => dependencies.note(workspaceId, level, "devices", message),
  });
  const keptMemory = createKeptMemory();
  let mqtt: Mqtt | undefined;

  const parts = (): Parts => ({
    ...{ mqtt: mqtt as Mqtt, history, keptMemory, recordings, readers: READERS, sources },
    openControl: async ({ workspace, model, readerOf, onNote }) =>
      openControl({
        ...{ workspaceId: workspace.id, model, readerOf, stops, now, onFault },
        settings: await deviceSettings.follow(workspace.id),
        note(level, message) {
          dependencies.note(workspace.id, level, "devices", message);
          onNote(level, message);
        },
      }),
  });
  const workspaces = openDeviceWorkspaces(dependencies, parts, (workspaceId) => endOf(workspaceId, "moved"), streams);
  const endOf = (workspaceId: string, why: "removed" | "moved") => {
    sockets.endOf(workspaceId, why);
    foxglove.endOf(workspaceId, why);
  };
  const sockets = openDeviceSockets({
    ...{ tickets, followAccess: dependencies.followAccess, openHub: workspaces.open, replays, now, onFault },
    trustProxy: settings.trustProxy,
  });
  const foxglove = createFoxglove({ ...dependencies, openHub: workspaces.open });
  mqtt = await openMqtt(dependencies, { wake: workspaces.hold, idle: workspaces.idle });
  const simulators = openSimulators({
    ...dependencies,
    openForSimulator: mqtt.openForSimulator,
    pagesOf: (workspaceId) => (bus.engine === "redis" ? undefined : sockets.pagesOf(workspaceId)),
  });
  measure(dependencies, workspaces, sockets.connected);
  onWorkspaceRemoved(async (workspaceId) => {
    endOf(workspaceId, "removed");
    await simulators.endOf(workspaceId);
    await workspaces.end(workspaceId);
    await Promise.all([
      history.removeOf(workspaceId),
      recordings.removeOf(workspaceId),
      stops.remove(workspaceId),
      deviceSettings.remove(workspaceId),
      store.removeOf(workspaceId),
      streams.removeOf(workspaceId),
    ]);
  });
  const keeping = keepOpen({
    ...{ workspaces, onFault },
    withSources: () => store.workspaces(MAX_OPENED_AT_START),
    known: async () => (settings.mqttUrl === undefined ? [] : history.workspaces(MAX_OPENED_AT_START)),
  });

  const routes = { ...dependencies, openHub: workspaces.open, tickets, history, recordings, replays };
  const { address, fault, upgrade } = mqtt;
  return {
    async addRoutes(app, { unless }) {
      const isOther = (request: IncomingMessage) => pathOf(request) !== DEVICES_SOCKET_PATH || unless(request);
      sockets.attach(app.server, { unless: isOther });
      app.server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        if (unless(request) || foxglove.upgrade(request, socket, head)) return;
        if (pathOf(request) === MQTT_PATH && !upgrade(request, socket, head)) socket.destroy();
      });
      streams.addPushRoutes(app);
      await openToOrigins(app, settings.panelOrigins, async (open) => {
        await open.register(async (scope: App) => {
          scope.addHook("onRequest", (request) => dependencies.authenticate(request, "stop"));
          serveHub(scope, routes);
          serveControl(scope, { ...dependencies, deviceSettings, open: hubOpener(routes) });
          serveDeviceEvents(scope, routes);
          serveWaits(scope, routes);
          serveSimulators(scope, { ...routes, runner: simulators });
          serveRecordings(scope, routes);
          serveSources(scope, { ...routes, adapters: ADAPTERS, store, book: sources });
          streams.addRoutes(scope);
          foxglove.addRoutes(scope);
          mqtt.addRoutes(scope);
        });
      });
    },
    takesUpgrade: (request) => UPGRADED.has(pathOf(request)),
    measure: createMeasure(workspaces.open),
    address,
    fault,
    async check() {
      // Where it is not set up, nothing is broken.
      const isWanted = settings.mqttUrl !== undefined || (settings.mqttPort !== undefined && !settings.redisUrl);
      const reason = isWanted ? fault() : undefined;
      if (reason !== undefined) throw new Error(reason);
    },
    async drain() {
      keeping.end();
      foxglove.close();
      await streams.close();
      await simulators.close();
      await sockets.close();
      await workspaces.close();
    },
    async close() {
      keeping.end();
      foxglove.close();
      await streams.close();
      await simulators.close();
      await sockets.close();
      await workspaces.close();
      await keeping.ended();
      await mqtt.close();
      await history.close();
    },
  };
}

/**
 * Sources are connected whether or not somebody looks, and by another instance when theirs has ended. Workspaces that had
 * devices are opened once. What fails is tried again.
 */
function keepOpen(options: {
  withSources(): Promise<string[]>;
  known(): Promise<string[]>;
  workspaces: Pick<DeviceWorkspaces, "open">;
  onFault(error: unknown): void;
}): { end(): void; ended(): Promise<void> } {
  let looking: Promise<void> | undefined;
  let unopened: Set<string> | undefined;
  let isEnded = false;
  /** A database that is away is reported once. */
  let isDown = false;

  async function look(): Promise<void> {
    unopened ??= new Set(await options.known());
    const faults: unknown[] = [];
    for (const id of new Set([...(await options.withSources()), ...unopened])) {
      if (isEnded) return;
      try {
        await options.workspaces.open(id);
        unopened.delete(id);
      } catch (error) {
        faults.push(error);
      }
    }
    if (faults.length > 0) throw faults[0];
  }

  function lookAgain(): void {
    looking ??= look()
      .then(
        () => {
          isDown = false;
        },
        (error) => {
          if (!isDown) options.onFault(error);
          isDown = true;
        },
      )
      .finally(() => {
        looking = undefined;
      });
  }
  lookAgain();
  const timer = setInterval(lookAgain, KEEP_OPEN_MS).unref();
  return {
    end() {
      isEnded = true;
      clearInterval(timer);
    },
    ended: async () => looking,
  };
}

const pathOf = ({ url }: IncomingMessage): string => (url ?? "/").split("?", 1)[0] as string;

function measure(
  { metrics }: Pick<Dependencies, "metrics">,
  workspaces: DeviceWorkspaces,
  connected: () => number,
): void {
  const sum = (of: (held: ReturnType<DeviceWorkspaces["held"]>[number]) => number) => () =>
    workspaces.held().reduce((all, held) => all + of(held), 0);
  metrics.gauge(
    "backplane_devices",
    "Devices of the workspaces that are held here",
    sum(({ model }) => model.devices().length),
  );
  metrics.gauge(
    "backplane_devices_kept_bytes",
    "Memory for the last samples of devices",
    sum(({ model }) => model.keptBytes()),
  );
  metrics.gauge(
    "backplane_devices_refused_samples",
    "Samples of present devices that were refused",
    sum(({ model }) => model.refused()),
  );
  metrics.gauge("backplane_devices_pages", "Pages that follow devices here", connected);
}
