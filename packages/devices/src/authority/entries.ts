import type { Ack, Device, Holder, Lease } from "@backplane/contract/devices";
import type { Clock } from "@backplane/kit/clock";
import type { Actor, Model } from "../services.ts";
import { createAuthority } from "./authority.ts";
import type { Authority, Decision, Order, Setpoint } from "./decisions.ts";
import type { FollowedSettings } from "./device-settings.ts";
import { canMove } from "./stopping.ts";

/** A lease that is renewed often is shown again only when its end moved by this much. */
const SHOWN_LEASE_MS = 1_000;

export type Entry = {
  /** As it was last told. */
  device: Device;
  moves: boolean;
  authority: Authority;
  isReady: boolean;
  timer: NodeJS.Timeout | undefined;
  /** Of the commands that need control, by capability. */
  capabilities: ReadonlySet<string>;
  shown: { text: string; untilMs: number };
  /** What it is moving to, as it was logged. */
  logged: string;
  /** Actors who were told that they send too much, and it was logged. */
  tooMany: Set<string>;
};

type Options = {
  model: Pick<Model, "device" | "setControl">;
  settings: Pick<FollowedSettings, "of">;
  isStopped(): boolean;
  /** Says again what keeps it moving. */
  repeat(entry: Entry, setpoint: Setpoint): void;
  stop(entry: Entry, order: Extract<Order, { do: "stop" }>): Promise<Ack>;
  now: Clock;
  steady: Clock;
  closing: AbortSignal;
};

export type Entries = ReturnType<typeof createEntries>;

/** Every device with its rules: what they decide is carried out, shown with the device, and looked at again in time. */
export function createEntries({ model, settings, isStopped, repeat, stop, now, steady, closing }: Options) {
  const entries = new Map<string, Entry>();

  function of(id: string): Entry | undefined {
    const known = entries.get(id);
    const device = known?.device ?? model.device(id);
    if (known || !device) return known;
    const authority = createAuthority(() => settings.of(id), { isStopped: isStopped() });
    const entry: Entry = {
      ...{ device, moves: canMove(device), authority, isReady: false, timer: undefined },
      ...{ capabilities: new Set<string>(), shown: { text: "", untilMs: 0 }, logged: "", tooMany: new Set<string>() },
    };
    entries.set(id, entry);
    return entry;
  }

  /** Carries out what was decided, in its order, before anything else can happen. Returns the answers to stops. */
  function apply(entry: Entry, { orders }: Decision): Promise<Ack>[] {
    const answers = orders.flatMap((order) => {
      if (order.do === "stop") return [stop(entry, order)];
      repeat(entry, order.setpoint);
      return [];
    });
    show(entry);
    schedule(entry);
    return answers;
  }

  function schedule(entry: Entry): void {
    clearTimeout(entry.timer);
    const nextMs = entry.authority.nextMs();
    if (nextMs === undefined || closing.aborted) return;
    const waitMs = Math.max(0, Math.ceil(nextMs - steady()));
    entry.timer = setTimeout(() => apply(entry, entry.authority.tick(steady())), waitMs).unref();
  }

  function leaseOf({ authority }: Entry): Lease | undefined {
    const nowMs = steady();
    const { holder, sinceMs, untilMs } = authority.state(nowMs);
    const at = (ms: number) => new Date(now() + ms - nowMs).toISOString();
    return holder && { holder: publicly(holder), since: at(sinceMs), until: at(untilMs) };
  }

  function show(entry: Entry): void {
    const { holder, untilMs, isArmed, isMoving } = entry.authority.state(steady());
    const text = JSON.stringify([holder?.key, isArmed, isMoving]);
    if (text === entry.shown.text && Math.abs(untilMs - entry.shown.untilMs) < SHOWN_LEASE_MS) return;
    entry.shown = { text, untilMs };
    const lease = leaseOf(entry);
    model.setControl(entry.device.id, { ...(lease ? { lease } : {}), isArmed, isMoving });
  }

  return {
    of,
    apply,
    leaseOf,
    /** Only one that is known already. */
    get: (id: string): Entry | undefined => entries.get(id),
    all: (): Entry[] => [...entries.values()],
    nameOf: (id: string): string => entries.get(id)?.device.name ?? id,
    isReachable: (id: string): boolean => entries.get(id)?.isReady === true,
    remove(entry: Entry): void {
      clearTimeout(entry.timer);
      entries.delete(entry.device.id);
    },
    endTimers(): void {
      for (const entry of entries.values()) clearTimeout(entry.timer);
    },
  };
}

/** Without what tells two pages of one person apart. */
export const publicly = ({ user, tab, program }: Actor): Holder => ({
  user,
  ...(tab === undefined ? {} : { tab }),
  ...(program === undefined ? {} : { program }),
});
