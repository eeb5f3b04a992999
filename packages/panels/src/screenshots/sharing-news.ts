import type { JsonValue, OpenBus } from "@backplane/kit/bus";
import type { Live, SharingEvent } from "../services.ts";

export type SharingNews = {
  /** Calls back whenever a browser, on whatever instance, shares, stops or declines. In force when it resolves. */
  watch(listener: (event: SharingEvent) => void): Promise<() => void>;
  close(): void;
};

type Ground = { bus: OpenBus; live: Pick<Live, "onSharing">; onFault: (error: unknown) => void };

/** Somebody clicks for each of these: one channel for all workspaces is quiet enough. */
const CHANNEL = "panels:sharing";

/** A browser tells the instance that it is connected to; the call that waits for it may be on another one. */
export function openSharingNews({ bus, live, onFault }: Ground): SharingNews {
  const listeners = new Set<(event: SharingEvent) => void>();
  const subscribed = bus.subscribe(CHANNEL, (message) => {
    for (const listener of listeners) listener(message as unknown as SharingEvent);
  });
  subscribed.catch(onFault);
  const stop = live.onSharing((event) => {
    bus.publish(CHANNEL, event as unknown as JsonValue).catch(onFault);
  });
  return {
    async watch(listener) {
      listeners.add(listener);
      await subscribed;
      return () => void listeners.delete(listener);
    },
    close() {
      stop();
      listeners.clear();
      subscribed.then((end) => end()).catch(() => {});
    },
  };
}
