import { DEVICES_LIMITS } from "@backplane/contract/devices";
import { Problem } from "@backplane/kit/problems";
import mqtt, { type IPublishPacket, type MqttClient } from "mqtt";
import type { MqttLink, MqttMessage, WorkspaceOf } from "../services.ts";
import { brokerAt } from "./broker-at.ts";
import { PACKETS_PER_TURN } from "./slices.ts";

export type OutsideBroker = {
  /** The devices of a workspace are those below `<owner>/<repo>/`. */
  open(workspace: WorkspaceOf): Promise<MqttLink>;
  fault(): string | undefined;
  close(): Promise<void>;
};

const CONNECT_MS = 5_000;
const KEEP_ALIVE_S = 5;
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;

type Open = {
  prefix: string;
  onMessage: ((message: MqttMessage) => void)[];
  onUp: ((isUp: boolean) => void)[];
};

/** Without name and password. */
export function shownAddress(url: string): string {
  const shown = new URL(url);
  shown.username = "";
  shown.password = "";
  return shown.href.replace(/\/$/, "");
}

/**
 * One connection to a broker outside, for all workspaces. Every connection is a new client: mqtt.js would otherwise send
 * what was not acknowledged before an outage again after it, and a command must not come from the past.
 */
export function connectOutside(url: string, { onFault }: { onFault(error: unknown): void }): OutsideBroker {
  const links = new Set<Open>();
  let client: MqttClient | undefined;
  let isUp = false;
  let isClosed = false;
  let retryMs = FIRST_RETRY_MS;
  let timer: NodeJS.Timeout | undefined;
  let reason = "it has not answered yet";

  const guarded = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      onFault(error);
    }
  };
  const filtersOf = (link: Open): string => `${link.prefix}#`;

  function onMessage(topic: string, payload: Buffer, packet: IPublishPacket): void {
    if (payload.length > DEVICES_LIMITS.maxMessageBytes || topic.length > 2 * DEVICES_LIMITS.maxTopicLength) return;
    for (const link of links) {
      if (!topic.startsWith(link.prefix)) continue;
      const message = { topic: topic.slice(link.prefix.length), payload, isRetained: packet.retain };
      for (const listener of link.onMessage) guarded(() => listener(message));
    }
  }

  function setUp(next: boolean): void {
    if (next === isUp) return;
    isUp = next;
    for (const link of links) for (const listener of link.onUp) guarded(() => listener(next));
  }

  function connect(): void {
    if (isClosed) return;
    const made = mqtt.connect({
      ...brokerAt(url),
      reconnectPeriod: 0,
      connectTimeout: CONNECT_MS,
      keepalive: KEEP_ALIVE_S,
      clean: true,
      queueQoSZero: false,
      resubscribe: false,
      clientId: `backplane-${crypto.randomUUID()}`,
    });
    client = made;
    made.on("connect", () => {
      retryMs = FIRST_RETRY_MS;
      // Those that nobody listens to yet subscribe when somebody does: what is retained comes only once.
      const filters = [...links].filter((link) => link.onMessage.length > 0).map(filtersOf);
      const subscribed = filters.length === 0 ? Promise.resolve([]) : made.subscribeAsync(filters, { qos: 1 });
      subscribed.then(
        () => setUp(true),
        (error: Error) => {
          reason = error.message;
          made.end(true);
        },
      );
    });
    made.on("message", onMessage);
    // Otherwise mqtt.js hears everything that has come before anybody else has a turn.
    let heard = 0;
    made.handleMessage = (_packet, done) => {
      heard += 1;
      if (heard % PACKETS_PER_TURN === 0) setImmediate(done);
      else done();
    };
    made.on("error", (error: Error & { code?: unknown }) => {
      // Never the address: it may have a password in it.
      reason = typeof error.code === "string" ? error.code : error.message.replaceAll(url, "");
    });
    made.once("close", () => {
      setUp(false);
      made.removeAllListeners("message");
      made.on("error", () => {});
      made.end(true);
      if (isClosed) return;
      timer = setTimeout(connect, retryMs).unref();
      retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
    });
  }
  connect();

  return {
    async open({ owner, repo }) {
      const link: Open = { prefix: `${owner}/${repo}/`, onMessage: [], onUp: [] };
      links.add(link);
      return {
        async send(topic, text, { qos = 0, retain = false } = {}) {
          if (!client || !isUp) throw new Problem("not-ready", { detail: "The MQTT broker is away." });
          await client.publishAsync(link.prefix + topic, text, { qos, retain });
        },
        onMessage(listener) {
          link.onMessage.push(listener);
          if (client?.connected && link.onMessage.length === 1) client.subscribe(filtersOf(link), { qos: 1 }, () => {});
        },
        onConnection() {},
        isUp: () => isUp,
        onUp(listener) {
          link.onUp.push(listener);
        },
        connections: () => 0,
        async close() {
          links.delete(link);
          if (isUp) client?.unsubscribe(filtersOf(link), () => {});
        },
      };
    },
    fault: () =>
      isUp
        ? undefined
        : `The MQTT broker at ${shownAddress(url)} cannot be used (${reason}). Start it, or correct MQTT_URL.`,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      links.clear();
      await client?.endAsync(true);
    },
  };
}
