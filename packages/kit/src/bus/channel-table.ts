import { BusFault } from "./fault.ts";
import { MAX_SUBSCRIPTIONS } from "./limits.ts";

/** One handler on one channel. `active` turns false the moment it is removed, also for deliveries already under way. */
export interface Entry<Handler> {
  readonly handler: Handler;
  active: boolean;
}

/** Who listens to what within this process. */
export interface ChannelTable<Handler> {
  /** Returns the function that removes the handler again; that one says whether it left its channel empty. */
  add(channel: string, handler: Handler): () => boolean;
  /** The handlers of a channel as of now: later changes do not show in the returned list. */
  entries(channel: string): readonly Entry<Handler>[];
  /** Removes everything. */
  clear(): void;
}

export function createChannelTable<Handler>(): ChannelTable<Handler> {
  const channels = new Map<string, Set<Entry<Handler>>>();
  let count = 0;

  return {
    add(channel, handler) {
      if (count >= MAX_SUBSCRIPTIONS) {
        throw new BusFault("too-many", `this bus has ${MAX_SUBSCRIPTIONS} subscriptions already`);
      }
      const entry: Entry<Handler> = { handler, active: true };
      const entries = channels.get(channel) ?? new Set();
      channels.set(channel, entries.add(entry));
      count += 1;
      return () => {
        if (!entry.active) return false;
        entry.active = false;
        count -= 1;
        entries.delete(entry);
        return entries.size === 0 && channels.delete(channel);
      };
    },
    entries: (channel) => [...(channels.get(channel) ?? [])],
    clear() {
      for (const entries of channels.values()) for (const entry of entries) entry.active = false;
      channels.clear();
      count = 0;
    },
  };
}
