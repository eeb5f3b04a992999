import { type Claims, openBus } from "@backplane/kit/bus";
import { createClient } from "@redis/client";
import { startRedis, uniquePrefix } from "../scripts/services/index.ts";
import { compareFunctions, type Subject } from "./harness/compare-functions.ts";
import { BenchFault } from "./harness/fault.ts";
import { inFlight } from "./harness/in-flight.ts";
import type { Session } from "./harness/session.ts";

const TTL_MS = 60_000;
const VALUE = "gateway-1";
const IN_PROCESS_PAIRS = 1_000;
const REDIS_PAIRS = 500;
const REDIS_IN_FLIGHT = 32;

/** A claim and the take that ends it count as one operation, like the life of a callback's state. */
export async function run(session: Session): Promise<void> {
  await inProcess(session);
  await overRedis(session);
}

async function inProcess(session: Session): Promise<void> {
  const bus = await openBus({ now: Date.now, onFault });
  try {
    await compareFunctions(session, {
      title: "Bus claim + take, in-process",
      description: "one after the other",
      unit: "pairs",
      operationsPerBatch: IN_PROCESS_PAIRS,
      ours: claimAndTake("kit bus", bus.claims, IN_PROCESS_PAIRS, 1),
      peers: [bareMap()],
    });
  } finally {
    await bus.close();
  }
}

async function overRedis(session: Session): Promise<void> {
  await using server = await startRedis();
  const prefix = uniquePrefix();
  const bus = await openBus({ url: server.url, now: Date.now, prefix, onFault });
  const client = bareClient(server.url);
  const patient = bareClient(server.url, { timeout: 0 });
  try {
    await Promise.all([client.connect(), patient.connect()]);
    await compareFunctions(session, {
      title: "Bus claim + take, Redis",
      description: `${REDIS_IN_FLIGHT} in flight, CPU time of the client`,
      unit: "pairs",
      operationsPerBatch: REDIS_PAIRS,
      ours: claimAndTake("kit bus", bus.claims, REDIS_PAIRS, REDIS_IN_FLIGHT),
      // By default the client sets a time-out for each command, which costs more than ours; the second peer has none.
      peers: [bareRedis("bare node-redis", client, prefix), bareRedis("bare node-redis, no time-out", patient, prefix)],
    });
  } finally {
    client.destroy();
    patient.destroy();
    await bus.close();
  }
}

function claimAndTake(label: string, claims: Claims, pairs: number, width: number): Subject {
  return {
    label,
    batch: () =>
      inFlight(pairs, width, async (index) => {
        const key = `state-${index}`;
        const won = await claims.claim(key, VALUE, TTL_MS);
        if (!won || (await claims.take(key)) !== VALUE)
          throw new BenchFault(`${label}: a take did not return the claimed value.`);
      }),
  };
}

/** The floor: a map with expiry, without the checks, the sweeping and the promises. */
function bareMap(): Subject {
  const held = new Map<string, { value: string; endsAtMs: number }>();
  return {
    label: "bare Map",
    async batch() {
      for (let index = 0; index < IN_PROCESS_PAIRS; index++) {
        const key = `state-${index}`;
        if (!held.has(key)) held.set(key, { value: VALUE, endsAtMs: Date.now() + TTL_MS });
        const found = held.get(key);
        held.delete(key);
        if (found?.value !== VALUE || found.endsAtMs < Date.now())
          throw new BenchFault("bare Map: a take did not return the claimed value.");
      }
    },
  };
}

function bareRedis(label: string, client: ReturnType<typeof bareClient>, prefix: string): Subject {
  const expiration = { type: "PX", value: TTL_MS } as const;
  return {
    label,
    batch: () =>
      inFlight(REDIS_PAIRS, REDIS_IN_FLIGHT, async (index) => {
        const name = `${prefix}bare:state-${index}`;
        const won = await client.set(name, VALUE, { condition: "NX", expiration });
        if (won === null || (await client.getDel(name)) !== VALUE) {
          throw new BenchFault(`${label}: a take did not return the claimed value.`);
        }
      }),
  };
}

function bareClient(url: string, commandOptions: { timeout?: number } = {}) {
  const client = createClient({ url, commandOptions });
  // Without a listener the event would end the process.
  client.on("error", onFault);
  return client;
}

function onFault(fault: Error): void {
  console.error(`bus: ${fault.message}`);
}
