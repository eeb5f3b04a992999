import { setTimeout as delay } from "node:timers/promises";
import { gateway } from "../gateway/contestants.ts";
import { enter } from "../gateway/entrant.ts";
import { startSettleMs } from "../gateway/limits.ts";
import { loadS } from "../harness/limits.ts";
import { memoryBytes } from "../harness/memory.ts";
import { growthCase } from "./growth.ts";

const SIZES = [1_000, 3_000, 9_000, 19_000];
const REPETITIONS = 3;
/** On a fast machine, the fewest would otherwise register more than 10 times per second each, the limit of a connection. */
const CODES_PER_SECOND = 3_000;

const COSTS = {
  "connect and register, per socket": { unit: "ms of CPU", bar: "flat" },
  "deliver and register again, per code": { unit: "ms of CPU", bar: "flat" },
  "memory per socket": { unit: "KB", bar: "flat" },
  memory: { unit: "MB", bar: "linear" },
} as const;

export const sockets = growthCase({
  ...{ name: "sockets", title: "Sockets at one gateway", things: "sockets", sizes: SIZES, costs: COSTS, measure },
  filled:
    "Each is a real connection to the gateway process that has registered a state. Up to the limit of one process.",
});

async function measure(size: number) {
  await using entrant = await enter(gateway);
  await delay(startSettleMs);
  const before = memoryBytes(entrant.server.pids());
  const connected = await entrant.measure({ phase: "connect", sockets: size });
  await delay(startSettleMs);
  const bytes = memoryBytes(entrant.server.pids());
  const delivered: number[] = [];
  for (let at = 0; at <= REPETITIONS; at += 1) {
    const { cpuS, operations } = await entrant.measure({
      ...{ phase: "latency", seconds: loadS, perSecond: CODES_PER_SECOND },
    });
    if (at > 0) delivered.push((cpuS * 1_000) / operations);
  }
  return {
    "connect and register, per socket": [(connected.cpuS * 1_000) / connected.operations],
    "deliver and register again, per code": delivered,
    "memory per socket": [(bytes - before) / size / 1_000],
    memory: [bytes / 1e6],
  };
}
