import type { MessageHandler, RequestHandler } from "./bus.ts";
import { BusFault, type OnFault } from "./fault.ts";
import { MAX_SUBSCRIPTIONS } from "./limits.ts";
import { decodeMessage, encodeMessage } from "./message.ts";

/** One handler on one channel. `active` turns false the moment it is removed, also for deliveries already under way. */
export interface Entry<Handler> {
  readonly handler: Handler;
  active: boolean;
}

/** The handlers of this process, by channel. */
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

/** A responder's reply, ready to be sent. It does not say why a responder failed. */
export type Answer = { readonly ok: true; readonly text: string } | { readonly ok: false };

/** Passes a message to each handler that is still active. Never throws: what a handler throws goes to `onFault`. */
export function deliver(entries: readonly Entry<MessageHandler>[], text: string, onFault: OnFault): void {
  for (const entry of entries) if (entry.active) void callHandler(entry.handler, text, onFault);
}

async function callHandler(handler: MessageHandler, text: string, onFault: OnFault): Promise<void> {
  try {
    await handler(decodeMessage(text));
  } catch (cause) {
    onFault(new BusFault("handler-failed", "a subscriber failed", { cause }));
  }
}

/** Asks one responder. Never rejects: what a responder throws goes to `onFault`, not to the requester. */
export async function answer(handler: RequestHandler, text: string, onFault: OnFault): Promise<Answer> {
  try {
    return { ok: true, text: encodeMessage((await handler(decodeMessage(text))) ?? null) };
  } catch (cause) {
    onFault(new BusFault("handler-failed", "a responder failed", { cause }));
    return { ok: false };
  }
}
