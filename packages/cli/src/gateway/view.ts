import type { WatchdogSnapshot } from "@backplane/contract/gateway";

/** Shows what is seen of the gateway, once a second, until it is closed. */
export type View = {
  seen(snapshot: WatchdogSnapshot): void;
  gone(since: Date): void;
  close(): void;
};
