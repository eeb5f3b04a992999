import {
  type Alert,
  type Capability,
  DEVICE_STATES,
  DEVICES_LIMITS,
  type Device,
  type DeviceState,
} from "@backplane/contract/devices";
import type { Clock } from "@backplane/kit/clock";
import type { Declared } from "../services.ts";
import type { Channel } from "./channels.ts";
import { checkDescription, type Description } from "./description.ts";
import { createRefusals, type Refusals } from "./refusals.ts";
import { cleanText } from "./text.ts";

const { maxDevices, maxChannels, maxChannelFields, maxAlerts, maxIdLength, maxTextLength } = DEVICES_LIMITS;
/** Conventions whose devices say themselves when they are ready again. */
const SAYS_READY: ReadonlySet<string> = new Set(["homie"]);
const DESCRIBED = "backplane-described";

/** What is known of one device. */
export type Entry = {
  description: Description;
  source: string;
  state: DeviceState;
  /** What it was before its connection broke. */
  stateBefore: DeviceState | undefined;
  lastSeenMs: number;
  alerts: Map<string, { text: string; atMs: number }>;
  control: Pick<Device, "lease" | "isArmed" | "isMoving">;
  channels: Map<string, Channel>;
  refusals: Refusals;
  /** How far the device's clock is ahead. */
  clockOffsetMs: number | undefined;
};

export type Entries = {
  get(device: string): Entry | undefined;
  all(): Iterable<Entry>;
  /** False: it is not taken. */
  declare(source: string, declared: Declared): boolean;
  setState(device: string, state: DeviceState): void;
  /** The connection of a device broke, or came. */
  connection(device: string, isConnected: boolean): void;
  /** Null: it is over. */
  setAlert(entry: Entry, id: string, text: string | null): void;
  setControl(device: string, control: Entry["control"]): void;
  remove(device: string): boolean;
  clear(): void;
};

type Options = {
  now: Clock;
  makeChannel(device: string, capability: Capability): Channel;
  onChanged(device: Device): void;
};

/** The devices of a workspace, within its limits: what they are, how they are, and who controls them. */
export function createEntries({ now, makeChannel, onChanged }: Options): Entries {
  const entries = new Map<string, Entry>();
  const changed = (entry: Entry) => onChanged(deviceOf(entry));

  function setAlert(entry: Entry, id: string, text: string | null): void {
    const clean = text === null ? undefined : cleanText(text, maxTextLength);
    if (clean === undefined ? !entry.alerts.delete(id) : entry.alerts.get(id)?.text === clean) return;
    if (clean !== undefined) {
      if (!entry.alerts.has(id) && entry.alerts.size >= maxAlerts) return;
      entry.alerts.set(id, { text: clean, atMs: now() });
    }
    changed(entry);
  }

  function declare(source: string, declared: Declared): boolean {
    const checked = checkDescription(declared);
    if (!checked) return false;
    const { description, faults } = checked;
    const before = entries.get(description.id);
    if (before && before.source !== source) {
      const text = `Another device, of ${source}, has the same id. Give one of them another id.`;
      setAlert(before, `backplane-same-${cleanText(source, maxIdLength)}`, text);
      return false;
    }
    if (!before && entries.size >= maxDevices) return false;
    const others = [...entries.values()].filter((entry) => entry !== before);
    const channels = channelsOf(description, before, others, { makeChannel, faults });
    const entry: Entry = before ?? {
      ...{ description, source, state: "init", stateBefore: undefined, lastSeenMs: now(), alerts: new Map(), channels },
      ...{ control: { isArmed: false, isMoving: false }, refusals: createRefusals(), clockOffsetMs: undefined },
    };
    const isOther = before !== undefined && wordsOf(before.description) !== wordsOf(description);
    // Commands wait until it says again that it is ready.
    if (isOther && entry.state === "ready" && SAYS_READY.has(source)) entry.state = "init";
    const isNews = !before || isOther;
    Object.assign(entry, { description, channels, lastSeenMs: now() });
    entries.set(description.id, entry);
    const alertsBefore = entry.alerts.get(DESCRIBED)?.text;
    setAlert(entry, DESCRIBED, faults.length === 0 ? null : faults.slice(0, 5).join(" "));
    if (isNews && entry.alerts.get(DESCRIBED)?.text === alertsBefore) changed(entry);
    return true;
  }

  function setState(device: string, state: DeviceState): void {
    const entry = entries.get(device);
    if (!entry || !DEVICE_STATES.includes(state)) return;
    entry.lastSeenMs = now();
    entry.stateBefore = undefined;
    if (entry.state === state) return;
    entry.state = state;
    changed(entry);
  }

  return {
    ...{ declare, setState, setAlert },
    get: (device) => entries.get(device),
    all: () => entries.values(),
    connection(device, isConnected) {
      const entry = entries.get(device);
      if (!entry) return;
      if (isConnected) {
        if (entry.stateBefore !== undefined) setState(device, entry.stateBefore);
      } else if (entry.state !== "disconnected" && entry.state !== "lost") {
        const before = entry.state;
        setState(device, "lost");
        entry.stateBefore = before;
      }
    },
    setControl(device, control) {
      const entry = entries.get(device);
      if (!entry || JSON.stringify(entry.control) === JSON.stringify(control)) return;
      entry.control = control;
      changed(entry);
    },
    remove: (device) => entries.delete(device),
    clear: () => entries.clear(),
  };
}

/** Within what the other devices leave of the workspace's limits. A capability that stays the same keeps its samples. */
function channelsOf(
  description: Description,
  before: Entry | undefined,
  others: readonly Entry[],
  { makeChannel, faults }: Pick<Options, "makeChannel"> & { faults: string[] },
): Map<string, Channel> {
  let channelsLeft = maxChannels - sumOf(others, ({ channels }) => channels.size);
  let fieldsLeft = maxChannelFields - sumOf(others, ({ description: { capabilities } }) => countFields(capabilities));
  const channels = new Map<string, Channel>();
  for (const capability of description.capabilities.values()) {
    channelsLeft -= 1;
    fieldsLeft -= Object.keys(capability.fields).length;
    if (channelsLeft < 0 || fieldsLeft < 0) {
      const most = `${maxChannels} channels with ${maxChannelFields} fields`;
      faults.push(`A workspace has at most ${most}: ${capability.id} is left out.`);
      description.capabilities.delete(capability.id);
      continue;
    }
    const kept = before?.channels.get(capability.id);
    const isSame = kept && JSON.stringify(kept.capability.fields) === JSON.stringify(capability.fields);
    channels.set(capability.id, isSame ? { ...kept, capability } : makeChannel(description.id, capability));
  }
  return channels;
}

const sumOf = <One>(all: readonly One[], of: (one: One) => number): number =>
  all.reduce((sum, one) => sum + of(one), 0);

const countFields = (capabilities: Description["capabilities"]): number =>
  sumOf([...capabilities.values()], ({ fields }) => Object.keys(fields).length);

const wordsOf = ({ capabilities, ...words }: Description): string => JSON.stringify([words, ...capabilities.values()]);

export function deviceOf({ description, source, state, lastSeenMs, alerts, control }: Entry): Device {
  const { id, name, maker, model, firmware, capabilities } = description;
  const iso = (ms: number) => new Date(ms).toISOString();
  return {
    ...{ id, name, source, state, lastSeenAt: iso(lastSeenMs) },
    ...(maker === undefined ? {} : { maker }),
    ...(model === undefined ? {} : { model }),
    ...(firmware === undefined ? {} : { firmware }),
    alerts: Array.from(alerts, ([key, { text, atMs }]): Alert => ({ id: key, text, at: iso(atMs) })),
    ...control,
    capabilities: [...capabilities.values()],
  };
}
