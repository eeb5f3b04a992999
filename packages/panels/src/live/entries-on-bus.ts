import type { OpenBus } from "@backplane/kit/bus";
import type { Clock } from "@backplane/kit/clock";
import { createInProcessEntries } from "./in-process-entries.ts";
import { createRedisEntries } from "./redis-entries.ts";
import type { ShortLivedEntries } from "./short-lived-entries.ts";

/** On the engine of the bus. */
export const createShortLivedEntries = (bus: Pick<OpenBus, "redis">, now: Clock, max: number): ShortLivedEntries =>
  bus.redis ? createRedisEntries(bus.redis, max) : createInProcessEntries(now, max);
