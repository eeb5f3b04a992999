import { type Duplex, duplexPair } from "node:stream";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import { Problem } from "@backplane/kit/problems";
import type { Dependencies, Mqtt, MqttHolder } from "../services.ts";
import { admit, CONNACK, refuseConnect } from "./admission.ts";
import { type BrokerEvents, type EmbeddedBroker, openEmbeddedBroker } from "./embedded.ts";
import { createKeys, type KeyRow, type Keys } from "./keys.ts";
import { createListener } from "./listener.ts";
import { connectOutside, shownAddress } from "./outside.ts";
import { serveKeys } from "./routes.ts";
import { withTemporaryKeys } from "./temporary-keys.ts";
import { createMqttSockets } from "./websocket.ts";

export type MqttDependencies = Pick<
  Dependencies,
  | "database"
  | "settings"
  | "now"
  | "authenticate"
  | "openWorkspace"
  | "onWorkspaceRemoved"
  | "note"
  | "onFault"
  | "metrics"
>;

const NEEDS_OUTSIDE =
  "Several platforms (REDIS_URL) need one broker for all devices. Set MQTT_URL to it, such as mqtt://localhost:1883.";
/** How soon a key that another instance has revoked is noticed here. */
const REVOKED_MS = 10_000;
const IS_OFF = "MQTT_PORT is off. Set it to a port, or MQTT_URL to a broker.";

/** Where the devices of all workspaces connect: to a broker of ours, or to the one of MQTT_URL. */
export async function openMqtt(dependencies: MqttDependencies, holder: MqttHolder, tuning: Tuning = {}): Promise<Mqtt> {
  const { settings, database, onWorkspaceRemoved } = dependencies;
  const keys = createKeys(database);
  onWorkspaceRemoved((workspaceId) => keys.removeOf(workspaceId));
  if (settings.mqttUrl !== undefined) return useOutside(dependencies, settings.mqttUrl, keys);
  return useEmbedded(dependencies, holder, keys, tuning);
}

/** For tests. */
export type Tuning = {
  connectMs?: number;
  floodPauseMs?: number;
  brokerIdleMs?: number;
  revokedMs?: number;
  flood?: BrokerEvents["flood"];
};

function useOutside(dependencies: MqttDependencies, url: string, keys: Keys): Mqtt {
  const outside = connectOutside(url, dependencies);
  const address = () => shownAddress(url);
  return {
    open: outside.open,
    address,
    fault: outside.fault,
    upgrade: () => false,
    async openForSimulator({ owner, repo }) {
      const reason = outside.fault();
      if (reason !== undefined) throw new Problem("not-ready", { detail: reason });
      return { url, prefix: `${owner}/${repo}/`, end() {} };
    },
    addRoutes(app) {
      const isConnected = () => false;
      serveKeys(app, { ...dependencies, keys, isConnected, address, isOutside: true, fault: outside.fault });
    },
    close: outside.close,
  };
}

async function useEmbedded(
  dependencies: MqttDependencies,
  holder: MqttHolder,
  stored: Keys,
  tuning: Tuning,
): Promise<Mqtt> {
  const { keys, temporary } = withTemporaryKeys(stored);
  const { settings, now, note, onFault, metrics } = dependencies;
  const { floodPauseMs = DEVICES_LIMITS.floodPauseMs, brokerIdleMs = DEVICES_LIMITS.brokerIdleMs } = tuning;
  const brokers = new Map<string, EmbeddedBroker>();
  const idleTimers = new Map<string, NodeJS.Timeout>();
  /** By key: until when it is refused, because its device floods. */
  const pauses = new Map<string, number>();
  const retained = { bytes: 0 };
  /** Streams whose CONNECT has not come yet, the oldest first, with the address that they come from. */
  const waiting = new Map<Duplex, string>();
  /** With those whose key is looked up. */
  let unadmitted = 0;
  let isClosed = false;
  const all = (): number => [...brokers.values()].reduce((sum, broker) => sum + broker.connections(), 0);

  metrics.gauge("backplane_device_connections", "Connections of devices by MQTT", all);
  const countRefused = metrics.counter("backplane_device_connections_refused_total", "Refused connections of devices");

  /** Devices send CONNECT at once: whoever keeps very many connections silent loses the oldest. */
  function makeRoom(): void {
    const most = mostFrequent(waiting.values());
    for (const [stream, address] of waiting) if (address === most) return void stream.destroy();
  }

  async function receive(stream: Duplex, address: string): Promise<void> {
    if (unadmitted >= DEVICES_LIMITS.maxUnadmitted) makeRoom();
    if (isClosed || (unadmitted >= DEVICES_LIMITS.maxUnadmitted && waiting.size === 0)) {
      stream.on("error", () => {}).destroy();
      return;
    }
    unadmitted += 1;
    waiting.set(stream, address);
    try {
      const admitted = await admit(stream, tuning);
      waiting.delete(stream);
      const key = admitted && (await keys.find(String(admitted.connect.password ?? "")));
      if (!admitted) countRefused();
      else if (!key) refuse(stream, CONNACK.wrongKey);
      else await letIn(stream, key);
    } catch (error) {
      onFault(error);
      refuse(stream, CONNACK.unavailable);
    } finally {
      waiting.delete(stream);
      unadmitted -= 1;
    }
  }

  function refuse(stream: Duplex, why: Parameters<typeof refuseConnect>[1]): void {
    countRefused();
    refuseConnect(stream, why);
  }

  async function letIn(stream: Duplex, key: KeyRow): Promise<void> {
    const isPaused = (pauses.get(key.id) ?? 0) > now();
    const isHeld = !isPaused && all() < DEVICES_LIMITS.maxConnections && (await holder.wake(key.workspace_id));
    const broker = isHeld ? brokers.get(key.workspace_id) : undefined;
    if (!broker || isClosed || broker.connectionsOf(key.id) >= DEVICES_LIMITS.maxConnectionsPerKey) {
      refuse(stream, CONNACK.unavailable);
      return;
    }
    // It may have been revoked while the workspace was opened.
    if (!(await keys.has(key.id))) {
      refuse(stream, CONNACK.wrongKey);
      return;
    }
    clearTimeout(idleTimers.get(key.workspace_id));
    broker.take(stream, key);
    keys.seen(key.id, now()).catch(onFault);
  }

  function eventsOf(workspaceId: string): BrokerEvents {
    return {
      ...{ now, retained },
      ...(tuning.flood ? { flood: tuning.flood } : {}),
      bind: (key, device) => keys.bind(key.id, device),
      onFlood(key) {
        if ((pauses.get(key.id) ?? 0) > now()) return;
        pauses.set(key.id, now() + floodPauseMs);
        setTimeout(() => pauses.delete(key.id), floodPauseMs).unref();
        note(
          workspaceId,
          "warn",
          "devices",
          `The key "${key.name}" sends too many messages and is paused for ${Math.ceil(floodPauseMs / 1_000)} s.`,
        );
        brokers.get(workspaceId)?.end(key.id);
      },
      onClosed(key) {
        keys.seen(key.id, now()).catch(onFault);
        if (brokers.get(workspaceId)?.connections() === 0) watchIdle(workspaceId);
      },
      note: (message) => note(workspaceId, "warn", "devices", message),
      onFault,
    };
  }

  function watchIdle(workspaceId: string): void {
    clearTimeout(idleTimers.get(workspaceId));
    if (isClosed) return;
    idleTimers.set(workspaceId, setTimeout(() => holder.idle(workspaceId), brokerIdleMs).unref());
  }

  /** Instances on one database that have no bus in common revoke keys for each other, too. */
  async function endRevoked(): Promise<void> {
    const used = new Set(brokers.values().flatMap((broker) => broker.keys()));
    if (used.size === 0) return;
    const there = await keys.there([...used]);
    for (const id of used) if (!there.has(id)) for (const broker of brokers.values()) broker.end(id);
  }
  const revoking = setInterval(() => void endRevoked().catch(onFault), tuning.revokedMs ?? REVOKED_MS).unref();

  const needsOutside = settings.redisUrl !== undefined;
  const listener =
    settings.mqttPort === undefined || needsOutside
      ? undefined
      : createListener({
          host: settings.host,
          port: settings.mqttPort,
          onSocket: (socket) => void receive(socket, socket.remoteAddress ?? ""),
        });
  const sockets = createMqttSockets({
    origins: [new URL(settings.baseUrl).origin],
    onStream: (stream, address) => void receive(stream, address),
  });
  if (listener && (await keys.exist())) await listener.start();

  const fault = (): string | undefined => (needsOutside ? NEEDS_OUTSIDE : listener ? listener.fault() : IS_OFF);
  const address = (): string | null => {
    const port = listener?.port();
    return port === undefined
      ? null
      : `mqtt://${settings.host.includes(":") ? `[${settings.host}]` : settings.host}:${port}`;
  };

  return {
    async open({ id }) {
      const broker = await openEmbeddedBroker(eventsOf(id));
      if (isClosed || brokers.has(id)) {
        await broker.close();
        throw new Error(isClosed ? "MQTT is closed." : "The workspace already has a link.");
      }
      brokers.set(id, broker);
      watchIdle(id);
      return {
        ...broker,
        async close() {
          clearTimeout(idleTimers.get(id));
          idleTimers.delete(id);
          if (brokers.get(id) === broker) brokers.delete(id);
          await broker.close();
        },
      };
    },
    address,
    fault,
    async openForSimulator({ id: workspaceId }, device) {
      if (needsOutside) throw new Problem("not-ready", { detail: NEEDS_OUTSIDE });
      if ((await keys.list(workspaceId)).some((key) => key.device === device)) return undefined;
      const { key, row } = temporary.make(workspaceId, device, now());
      return {
        key,
        // No port is needed: it works also where MQTT_PORT is off or taken by another program.
        url: () => openPair((stream) => void receive(stream, "a simulator")),
        end() {
          temporary.remove(row.id);
          brokers.get(workspaceId)?.end(row.id);
        },
      };
    },
    upgrade: (request, socket, head) => !needsOutside && sockets.upgrade(request, socket, head),
    addRoutes(app) {
      serveKeys(app, {
        ...dependencies,
        keys,
        isOutside: false,
        isConnected: (workspaceId, keyId) => (brokers.get(workspaceId)?.connectionsOf(keyId) ?? 0) > 0,
        address,
        fault,
        onMade: async () => listener?.start(),
        onRevoked: (workspaceId, keyId) => brokers.get(workspaceId)?.end(keyId),
      });
    },
    async close() {
      isClosed = true;
      clearInterval(revoking);
      for (const timer of idleTimers.values()) clearTimeout(timer);
      const closing = listener?.close();
      sockets.close();
      await Promise.all([...brokers.values()].map((broker) => broker.close()));
      await closing;
    },
  };
}

/** One end of a stream whose other end is received as a connection. */
function openPair(onStream: (stream: Duplex) => void): Duplex {
  const [near, far] = duplexPair();
  near.once("close", () => far.destroy());
  far.once("close", () => near.destroy());
  onStream(far);
  return near;
}

function mostFrequent(all: Iterable<string>): string | undefined {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts].reduce<[string, number] | undefined>(
    (most, one) => (most && most[1] >= one[1] ? most : one),
    undefined,
  )?.[0];
}
