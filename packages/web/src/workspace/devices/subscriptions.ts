import type { DevicesPageMessage, Want, WireBatch } from "@backplane/contract/devices";
import type { JsonData } from "@backplane/contract/panels";
import type { PanelBatch } from "./devices.ts";

type Subscription = {
  want: Want;
  onBatch: (batch: PanelBatch) => void;
  /** Those of the last batch that named them. */
  fields: readonly string[];
  /** The panel has every sample up to this one. */
  completeToMs: number | undefined;
  /** The page was hidden: until history has come, the panel has only some samples after that one. */
  hasHoles: boolean;
};

export type Subscriptions = {
  add(id: number, want: Want, onBatch: (batch: PanelBatch) => void): void;
  remove(id: number): boolean;
  receive(batches: readonly WireBatch[], onFault: (error: unknown) => void): void;
  setHidden(isHidden: boolean): void;
  /** What a new connection is asked for: everything after the last sample, so that there is no hole. */
  messages(): DevicesPageMessage[];
};

export function createSubscriptions(): Subscriptions {
  const all = new Map<number, Subscription>();
  let isHidden = false;

  function take(subscription: Subscription, wire: WireBatch): void {
    const last = wire.t.at(-1);
    if (wire.f) subscription.fields = wire.f;
    if (wire.reset) subscription.completeToMs = undefined;
    if (last === undefined && !wire.reset) return;
    if (!isHidden && (wire.h || !wire.thin)) subscription.hasHoles = false;
    if (!subscription.hasHoles) subscription.completeToMs = last;
    subscription.onBatch(batchOf(wire, subscription.fields));
  }

  return {
    add(id, want, onBatch) {
      all.set(id, { want, onBatch, fields: [], completeToMs: undefined, hasHoles: isHidden });
    },
    remove: (id) => all.delete(id),
    receive(batches, onFault) {
      for (const wire of batches) {
        const subscription = all.get(wire.c);
        if (!subscription) continue;
        try {
          take(subscription, wire);
        } catch (error) {
          onFault(error);
        }
      }
    },
    setHidden(hidden) {
      isHidden = hidden;
      if (hidden) for (const each of all.values()) each.hasHoles = true;
    },
    messages: () => [...all].map(([id, { want, completeToMs }]) => subscribeMessage(id, want, completeToMs)),
  };
}

export const subscribeMessage = (id: number, want: Want, sinceMs?: number): DevicesPageMessage => ({
  ...{ type: "subscribe", id },
  ...want,
  ...(sinceMs === undefined ? {} : { sinceMs }),
});

const NO_VALUES: (JsonData | null)[] = [];

function batchOf({ t, v, thin, h, reset }: WireBatch, names: readonly string[]): PanelBatch {
  const fields: PanelBatch["fields"] = {};
  for (let place = 0; place < names.length; place += 1) fields[names[place] as string] = v[place] ?? NO_VALUES;
  return { tMs: t, fields, thinned: thin === true, isHistory: h === true, isReset: reset === true };
}
