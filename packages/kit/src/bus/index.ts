import type { Clock } from "../clock.ts";
import type { Bus } from "./bus.ts";
import type { OnFault } from "./fault.ts";
import { createInProcessBus } from "./in-process.ts";
import type { RedisScripts } from "./redis-script.ts";

export type { Bus, BusState, Claims, MessageHandler, Reply, RequestHandler, Unsubscribe } from "./bus.ts";
export { BusFault } from "./fault.ts";
export type { JsonValue } from "./message.ts";
export type { RedisScripts } from "./redis-script.ts";

const DEFAULT_PREFIX = "bp:";

/** A bus, and what others may send over its connection to Redis, if that is its engine. */
export type OpenBus = Bus & { readonly redis: RedisScripts | undefined };

/**
 * Opens the bus: on Redis when given its address, else within this process. When Redis is away it does not fail:
 * the bus then starts as "degraded" and comes up by itself. `now` is in milliseconds.
 */
export async function openBus(parameters: {
  url?: string | undefined;
  now: Clock;
  prefix?: string;
  onFault: OnFault;
}): Promise<OpenBus> {
  const { url, now, prefix = DEFAULT_PREFIX, onFault } = parameters;
  if (url === undefined) return { ...createInProcessBus({ now, onFault }), redis: undefined };
  // Loaded only when it is used: its client costs half a second at every start.
  const [{ openRedis }, { createRedisBus }] = await Promise.all([import("./redis-link.ts"), import("./redis.ts")]);
  const link = await openRedis({ url, prefix, onFault });
  return { ...(await createRedisBus({ link, onFault })), redis: { prefix, evaluate: link.commands.evaluate } };
}
