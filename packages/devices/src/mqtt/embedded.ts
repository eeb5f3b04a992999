import type { Duplex } from "node:stream";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { Clock } from "@backplane/kit/clock";
import { Aedes, type AedesPublishPacket, type Client, type PublishPacket } from "aedes";
import type { MqttLink, MqttMessage } from "../services.ts";
import { createFloodMeter, createPacketMeter, type FloodLimits } from "./flood.ts";
import type { KeyRow } from "./keys.ts";
import { publishPacket } from "./packets.ts";
import { createRetained, type RetainedOfAll } from "./retained.ts";
import { readInSlices } from "./slices.ts";
import { homieDevice, matches, mayPublish, maySubscribe, type TopicRights } from "./topics.ts";

/** What a broker tells of its connections. */
export type BrokerEvents = {
  now: Clock;
  retained: RetainedOfAll;
  /** A key that was free uses the topics of a device for the first time. False: the device has another key. */
  bind(key: KeyRow, device: string): Promise<boolean>;
  /** A key has sent too much for too long. */
  onFlood(key: KeyRow): void;
  onClosed(key: KeyRow): void;
  /** A line in the workspace's log. */
  note(message: string): void;
  onFault(error: unknown): void;
  flood?: Partial<FloodLimits>;
};

/** The broker of one workspace. */
export type EmbeddedBroker = MqttLink & {
  /** Takes over a connection that has begun with CONNECT and this key. */
  take(stream: Duplex, key: KeyRow): void;
  connectionsOf(keyId: string): number;
  /** The keys of devices that connections use. */
  keys(): string[];
  /** Closes the connections of a key. */
  end(keyId: string): void;
};

/** One connection. The key is shared by all connections that use it, so that all know when it becomes a device's. */
type Session = {
  key: KeyRow;
  filters: Map<string, 0 | 1 | 2>;
  /** The Homie devices that it spoke for. */
  devices: Set<string>;
  /** Its CONNECT was answered: Aedes tells when it is gone, after its last will. */
  isReady: boolean;
};

/** Where a message goes that nobody gets; the publisher gets its answer. Nobody may subscribe to it. */
const NOWHERE = "$SYS/nowhere";
const EMPTY = Buffer.alloc(0);

/** MQTT 3.1.1, section 2.3.1. Aedes counts for itself; messages with the same id at the same time are still two messages. */
const MAX_MESSAGE_ID = 65_535;

/** A connection that is closed is gone after this at the latest. */
const GONE_MS = 1_000;

/** How long a connection may keep others waiting with what it does not read. */
const DRAIN_MS = 1_000;

/**
 * Aedes for one workspace. Messages of devices go to the link's listeners before anybody else gets them, in the order of
 * the wire. What the link sends goes straight to the connections that want it: it waits for no queue of the broker, in
 * which a slow subscriber may hold up others.
 */
export async function openEmbeddedBroker(events: BrokerEvents): Promise<EmbeddedBroker> {
  const { now, note } = events;
  const sessions = new Map<Client, Session>();
  /** Also after the end, for the last will. */
  const sessionOf = new WeakMap<Client, Session>();
  const keys = new Map<string, KeyRow>();
  const meters = new Map<string, ReturnType<typeof createFloodMeter>>();
  const packetMeters = new Map<string, ReturnType<typeof createPacketMeter>>();
  /** By Homie device: the key that speaks for it. */
  const speakers = new Map<string, string>();
  const retained = createRetained(events.retained);
  const noted = new Set<string>();
  const onMessage: ((message: MqttMessage) => void)[] = [];
  const onConnection: ((device: string, isConnected: boolean) => void)[] = [];

  const noteOnce = (about: string, message: string): void => {
    if (noted.has(about) || noted.size >= DEVICES_LIMITS.maxDevices) return;
    noted.add(about);
    note(message);
  };
  const guarded = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      events.onFault(error);
    }
  };
  const tellConnection = (device: string, isConnected: boolean): void => {
    for (const listener of onConnection) guarded(() => listener(device, isConnected));
  };
  const sessionsOf = (keyId: string): [Client, Session][] =>
    [...sessions].filter(([, session]) => session.key.id === keyId);

  const isOpen = (session: Session): boolean => sessionsOf(session.key.id).some(([, open]) => open === session);

  /** False: another key speaks for this device. */
  function speaksFor(session: Session, device: string): boolean {
    if (session.devices.has(device)) return true;
    const { key } = session;
    const speaker = speakers.get(device);
    if (speaker !== undefined && speaker !== key.id && key.device !== device) return false;
    if (!isOpen(session)) return true;
    if (key.gateway === 0 && key.device === null) becomes(key, device);
    if (speakers.size >= DEVICES_LIMITS.maxDevices && speaker === undefined) return false;
    speakers.set(device, key.id);
    session.devices.add(device);
    tellConnection(device, true);
    return true;
  }

  /** A free key that listens to the topics of a device becomes its key. */
  function isOwn(session: Session, filter: string): boolean {
    const device = homieDevice(filter);
    return session.key.gateway === 1 || device === undefined || speaksFor(session, device);
  }

  /** At once in memory, so that the next message already belongs to this device; the database decides who had it first. */
  function becomes(key: KeyRow, device: string): void {
    key.device = device;
    events.bind(key, device).then(
      (isBound) => {
        if (isBound) return;
        note(`The key "${key.name}" was refused as ${device}, which has another key. Give each device its own id.`);
        key.device = null;
        broker.end(key.id);
      },
      (error) => {
        events.onFault(error);
        key.device = null;
        broker.end(key.id);
      },
    );
  }

  function take(client: Client, packet: PublishPacket): Error | null {
    const session = sessionOf.get(client);
    if (!session) return new Error("not allowed");
    const { key } = session;
    const flood = meters.get(key.id)?.(now()) ?? "within";
    if (flood === "flood") {
      events.onFlood(key);
      return new Error("too many messages");
    }
    const verdict = mayPublish(rightsOf(key), packet.topic, packet.retain);
    if (verdict === "no") {
      noteOnce(`${key.id} ${packet.topic}`, `The key "${key.name}" may not publish to ${packet.topic}.`);
      return new Error("not allowed");
    }
    const device = homieDevice(packet.topic);
    const isHeard = device === undefined || speaksFor(session, device);
    if (!isHeard) noteOnce(`${key.id} ${device}`, `The key "${key.name}" speaks for ${device}, which has another key.`);
    if (!isHeard || verdict === "drop" || (flood === "beyond" && packet.qos === 0 && !packet.retain)) {
      Object.assign(packet, { topic: NOWHERE, payload: EMPTY, retain: false });
      return null;
    }
    const payload = toBuffer(packet.payload);
    if (packet.retain && !retained.keep(packet.topic, payload.length)) {
      noteOnce("retained", "The broker keeps the last messages of too many topics: new ones are not kept.");
      packet.retain = false;
    }
    const message = { topic: packet.topic, payload, isRetained: false };
    for (const listener of onMessage) guarded(() => listener(message));
    return null;
  }

  const aedes = await Aedes.createBroker({
    drainTimeout: DRAIN_MS,
    maxClientsIdLength: 256,
    maxTopicLevels: 32,
    maxInflightInbound: 100,
    preConnect(client, packet, done) {
      const session = sessions.get(client);
      // A key cannot end the connection of another by its client id. No session outlives its connection: commands that
      // were sent while a device was away must not reach it later.
      if (session) Object.assign(packet, { clientId: `${session.key.id}:${packet.clientId}`, clean: true });
      done(null, session !== undefined);
    },
    authorizePublish(client, packet, done) {
      done(client ? take(client, packet) : null);
    },
    authorizeSubscribe(client, subscription, done) {
      const session = sessions.get(client);
      const isAllowed =
        session !== undefined &&
        session.filters.size < DEVICES_LIMITS.maxTopicFilters &&
        maySubscribe(rightsOf(session.key), subscription.topic) &&
        isOwn(session, subscription.topic);
      if (isAllowed) session.filters.set(subscription.topic, subscription.qos);
      done(null, isAllowed ? subscription : null);
    },
    authorizeForward(client, packet) {
      // What is retained is sent as fast as it is read.
      return packet.retain || keepsUp(client) ? packet : null;
    },
  });
  aedes.on("unsubscribe", (filters, client) => {
    for (const filter of filters) sessions.get(client)?.filters.delete(filter);
  });
  aedes.on("clientReady", (client) => {
    const session = sessions.get(client);
    if (!session) return;
    session.isReady = true;
    if (session.key.device) speaksFor(session, session.key.device);
  });
  aedes.on("clientDisconnect", onClosed);
  // Faults of connections end in "close", which is handled; without a listener they would throw.
  (aedes as NodeJS.EventEmitter).on("error", events.onFault);

  function onClosed(client: Client): void {
    const session = sessions.get(client);
    if (!session) return;
    sessions.delete(client);
    const { key } = session;
    const others = sessionsOf(key.id);
    for (const device of session.devices) {
      if (others.some(([, other]) => other.devices.has(device))) continue;
      if (speakers.get(device) === key.id) speakers.delete(device);
      tellConnection(device, false);
    }
    if (others.length === 0) {
      keys.delete(key.id);
      meters.delete(key.id);
      packetMeters.delete(key.id);
    }
    events.onClosed(key);
  }

  let lastId = 0;
  /** Aedes would wait for its next turn, and with it for whatever this turn still does, such as writing a stop to the disk. */
  function deliver(topic: string, payload: string, qos: 0 | 1): void {
    lastId = (lastId % MAX_MESSAGE_ID) + 1;
    const encoded: Buffer[] = [];
    for (const [client, { filters }] of sessions) {
      let granted = -1;
      for (const [filter, most] of filters) if (most > granted && matches(filter, topic)) granted = most;
      if (granted < 0 || !client.connected || !keepsUp(client)) continue;
      const least = Math.min(granted, qos) as 0 | 1;
      encoded[least] ??= publishPacket(topic, payload, least, lastId);
      client.conn.write(encoded[least]);
    }
  }

  const broker: EmbeddedBroker = {
    take(stream, givenKey) {
      const key = keys.get(givenKey.id) ?? givenKey;
      keys.set(key.id, key);
      if (!meters.has(key.id)) meters.set(key.id, createFloodMeter({ ...limitsOf(key), ...events.flood }));
      const meter = packetMeters.get(key.id) ?? createPacketMeter(limitsOf(key).maxPerSecond);
      packetMeters.set(key.id, meter);
      let isFlood = false;
      readInSlices(stream, {
        isWanted(type, bodyBytes) {
          isFlood = !meter(type, bodyBytes, now());
          return !isFlood;
        },
        onRefused() {
          if (isFlood) events.onFlood(key);
        },
      });
      const client = aedes.handle(stream as Parameters<typeof aedes.handle>[0]);
      const session: Session = { key, filters: new Map(), devices: new Set(), isReady: false };
      sessions.set(client, session);
      sessionOf.set(client, session);
      const onStreamClosed = () => {
        if (session.isReady) setTimeout(onClosed, GONE_MS, client).unref();
        else onClosed(client);
      };
      if (stream.destroyed) onStreamClosed();
      else stream.once("close", onStreamClosed);
    },
    keys: () => [...sessions.values()].flatMap(({ key }) => (key.isViewer ? [] : [key.id])),
    connectionsOf: (keyId) => sessionsOf(keyId).length,
    end(keyId) {
      for (const [client] of sessionsOf(keyId)) client.conn.destroy();
    },
    async send(topic, text, { qos = 0, retain = false } = {}) {
      if (!retain) return deliver(topic, text, qos);
      const packet: PublishPacket = { cmd: "publish", topic, payload: Buffer.from(text), qos, retain, dup: false };
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      aedes.publish(packet, (error) => (error ? reject(error) : resolve()));
      await promise;
    },
    onMessage(listener) {
      onMessage.push(listener);
    },
    onConnection(listener) {
      onConnection.push(listener);
    },
    isUp: () => true,
    onUp() {},
    connections: () => sessions.size,
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      for (const [client] of sessions) client.conn.destroy();
      aedes.close(resolve);
      await promise;
      retained.close();
    },
  };
  return broker;
}

/** False: too much waits for it, and it is closed. */
function keepsUp({ conn }: Client): boolean {
  if (conn.writableLength <= DEVICES_LIMITS.maxUnreadBytes) return true;
  conn.destroy();
  return false;
}

const rightsOf = ({ device, gateway, isViewer }: KeyRow): TopicRights => ({
  ...{ device, isGateway: gateway === 1, isViewer: isViewer === true },
});

const limitsOf = (key: KeyRow): Partial<FloodLimits> =>
  key.gateway === 1 ? { maxPerSecond: DEVICES_LIMITS.maxGatewayMessagesPerSecond } : {};

const toBuffer = (payload: AedesPublishPacket["payload"]): Buffer =>
  typeof payload === "string" ? Buffer.from(payload) : payload;
