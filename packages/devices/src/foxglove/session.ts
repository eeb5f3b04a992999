import { randomUUID } from "node:crypto";
import {
  DEVICES_LIMITS,
  type Device,
  type DeviceLine,
  type DevicesHubMessage,
  type WireBatch,
} from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import type { Clock } from "@backplane/kit/clock";
import { jsonFields } from "@backplane/kit/json-fields";
import { type OpenHub, openFeed } from "../hub/hub.ts";
import { createOutbox } from "../hub/outbox.ts";
import { channelsOf, type FoxgloveChannel, LOG_CHANNEL, logMessage } from "./channels.ts";
import { messageData, time } from "./encode.ts";

const { maxSubscriptions, thinAboveBytes } = DEVICES_LIMITS;
const TIME_EVERY_MS = 100;
/** So that no single message is large. */
const ADVERTISED_AT_ONCE = 100;
const MAX_UINT32 = 0xffff_ffff;

/** Where messages go. */
export type FoxgloveWire = { readonly unsentBytes: number; send(message: string | Buffer): void };

export type FoxgloveSession = {
  /** A text message of the tool. */
  take(text: string): void;
  /** Tools that publish, call or change something are told that they only look. */
  refuse(): void;
  close(): void;
};

type StatusLevel = 0 | 1 | 2;
const WARNING: StatusLevel = 1;
const ERROR: StatusLevel = 2;

/** One tool that shows the devices of a workspace: it subscribes, and changes nothing. */
export async function openFoxgloveSession(
  wire: FoxgloveWire,
  { hub, name, now }: { hub: OpenHub; name: string; now: Clock },
): Promise<FoxgloveSession> {
  const say = (message: object) => wire.send(JSON.stringify(message));
  const status = (level: StatusLevel, message: string) => say({ op: "status", level, message });
  const channels = createChannels(say, (channel) => {
    for (const [id, of] of channelOf) if (of === channel) unsubscribe(id);
  });
  /** By subscription. The protocol has at most one for a channel. */
  const channelOf = new Map<number, number>();
  const logs = new Set<number>();
  /** By subscription: batches name their fields once. */
  const fieldsOf = new Map<number, readonly string[]>();

  const outbox = createOutbox(
    {
      get unsentBytes() {
        return wire.unsentBytes;
      },
      send: (message: DevicesHubMessage) => {
        if (message.type !== "values") return;
        for (const batch of message.batches) {
          if (batch.f) fieldsOf.set(batch.c, batch.f);
          sendRows(wire, batch, fieldsOf.get(batch.c) ?? []);
        }
      },
    },
    now,
  );

  const sendLines = (lines: readonly DeviceLine[], to: Iterable<number>) => {
    if (wire.unsentBytes > thinAboveBytes) return;
    for (const id of to) for (const line of lines) wire.send(messageData(id, line.tMs, logMessage(line)));
  };

  function subscribe({ id, channelId }: JsonObject): void {
    const channel = channels.find(channelId);
    if (!isUint32(id)) status(ERROR, "A subscription needs an id, which is a number.");
    else if (!channel) status(WARNING, `There is no channel ${String(channelId)}, or not any more.`);
    else if (channelOf.has(id)) status(WARNING, `Subscription ${id} is there already.`);
    else if (channelOf.values().some((of) => of === channelId))
      status(WARNING, `There is a subscription for channel ${String(channelId)} already.`);
    else if (channelOf.size >= maxSubscriptions)
      status(ERROR, `A connection has at most ${maxSubscriptions} subscriptions. End one first.`);
    else begin(id, channelId as number, channel);
  }

  function begin(id: number, channelId: number, { key }: FoxgloveChannel): void {
    channelOf.set(id, channelId);
    if (key === LOG_CHANNEL.key) {
      logs.add(id);
      sendLines(hub.lines(), [id]);
      return;
    }
    const [device = "", capability = ""] = key.split("/");
    outbox.feeds.set(id, openFeed(hub, { device, capability }));
    outbox.wake();
  }

  function unsubscribe(id: unknown): void {
    if (!isUint32(id)) return;
    channelOf.delete(id);
    logs.delete(id);
    fieldsOf.delete(id);
    outbox.feeds.get(id)?.close();
    outbox.feeds.delete(id);
  }

  say({
    ...{ op: "serverInfo", name, capabilities: ["time"], supportedEncodings: ["json"] },
    ...{ metadata: {}, sessionId: randomUUID() },
  });
  const stops = [
    await hub.onDevices((changed, removed) => channels.update(changed, removed)),
    await hub.onLines((lines) => sendLines(lines, logs)),
    hub.onSample(outbox.wake),
  ];
  channels.add([LOG_CHANNEL]);
  channels.update((await hub.list()).devices, []);
  const clock = setInterval(() => {
    if (wire.unsentBytes <= thinAboveBytes) wire.send(time(now()));
  }, TIME_EVERY_MS);

  const refuse = () => status(ERROR, "Devices can be looked at here, not controlled.");
  return {
    refuse,
    take(text) {
      const { op, subscriptions, subscriptionIds } = jsonFields(text) ?? {};
      if (op === "subscribe") for (const one of objectsIn(subscriptions)) subscribe(one);
      else if (op === "unsubscribe") for (const id of listIn(subscriptionIds)) unsubscribe(id);
      else if (typeof op === "string") refuse();
      else status(ERROR, "This is not a message of the protocol.");
    },
    close() {
      clearInterval(clock);
      for (const stop of stops) stop();
      outbox.close();
      logs.clear();
    },
  };
}

const isUint32 = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_UINT32;
/** More than there can be: the answers to the rest would say the same. */
const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(0, 2 * maxSubscriptions) : []);
const objectsIn = (value: unknown): JsonObject[] =>
  listIn(value).filter((one): one is JsonObject => typeof one === "object" && one !== null);

/** Columns as the messages that tools expect: one per time, without fields that had no value. */
function sendRows(wire: FoxgloveWire, { c, t, v }: WireBatch, fields: readonly string[]): void {
  for (const [i, tMs] of t.entries()) {
    const message: JsonObject = {};
    for (const [place, field] of fields.entries()) {
      const value = v[place]?.[i];
      if (value !== undefined && value !== null) message[field] = value;
    }
    wire.send(messageData(c, tMs, message));
  }
}

type Channels = {
  find(id: unknown): FoxgloveChannel | undefined;
  add(channels: readonly FoxgloveChannel[]): void;
  update(changed: readonly Device[], removed: readonly string[]): void;
};

/** What this tool was told of. A channel that changes gets another number, because tools do not read a schema again. */
function createChannels(say: (message: object) => void, onRemoved: (id: number) => void): Channels {
  const byId = new Map<number, FoxgloveChannel>();
  const idOf = new Map<string, number>();
  let next = 1;

  function add(channels: readonly FoxgloveChannel[]): void {
    for (let from = 0; from < channels.length; from += ADVERTISED_AT_ONCE) {
      const told = channels.slice(from, from + ADVERTISED_AT_ONCE).map(({ key, ...channel }) => {
        const id = next;
        next += 1;
        byId.set(id, { key, ...channel });
        idOf.set(key, id);
        return { id, ...channel };
      });
      say({ op: "advertise", channels: told });
    }
  }

  function remove(ids: readonly number[]): void {
    if (ids.length === 0) return;
    for (const id of ids) {
      idOf.delete(byId.get(id)?.key ?? "");
      byId.delete(id);
      onRemoved(id);
    }
    say({ op: "unadvertise", channelIds: ids });
  }

  const ofDevice = (device: string): number[] =>
    [...idOf].flatMap(([key, id]) => (key.startsWith(`${device}/`) ? [id] : []));

  return {
    find: (id) => byId.get(id as number),
    add,
    update(changed, removed) {
      for (const device of removed) remove(ofDevice(device));
      for (const device of changed) {
        const channels = channelsOf(device);
        const isSame = (channel: FoxgloveChannel) => byId.get(idOf.get(channel.key) ?? 0)?.schema === channel.schema;
        const kept = new Set(channels.filter(isSame).map(({ key }) => idOf.get(key)));
        remove(ofDevice(device.id).filter((id) => !kept.has(id)));
        add(channels.filter((channel) => !idOf.has(channel.key)));
      }
    },
  };
}
