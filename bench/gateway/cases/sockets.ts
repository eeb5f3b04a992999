import { setTimeout as delay } from "node:timers/promises";
import { startRedis } from "../../../scripts/services/index.ts";
import { BenchFault } from "../../harness/fault.ts";
import { memoryBytes } from "../../harness/memory.ts";
import type { Session } from "../../harness/session.ts";
import { startContestant } from "../contestant.ts";
import { gatewaysOverRedis } from "../contestants.ts";
import {
  heldProcesses,
  heldSockets,
  holdS,
  maxHeldMegabytes,
  maxHoldS,
  memorySampleMs,
  otherFiles,
  quickHoldS,
} from "../limits.ts";
import type { LoadReport, Order } from "../load/orders.ts";
import { startLoadGenerator } from "../load-generator.ts";
import { openFileLimit } from "../open-files.ts";

const BYTES_PER_MEGABYTE = 1e6;

/** Very many sockets over three instances, held; at the end every one of them gets a code from another instance. */
export async function sockets(session: Session): Promise<void> {
  const seconds = session.holdS ?? (session.quick ? quickHoldS : holdS);
  if (seconds > maxHoldS) {
    throw new BenchFault(`--hold is ${seconds} s. A connection lives 15 minutes, so hold at most ${maxHoldS} s.`);
  }
  const shares = divide(heldSockets, heldProcesses);
  if (Math.max(...shares) > openFileLimit() - otherFiles) {
    throw new BenchFault(`${heldSockets} sockets need more open files than ${openFileLimit()} in each process.`);
  }
  await using stack = new AsyncDisposableStack();
  const redis = stack.use(await startRedis());
  const server = stack.use(await startContestant(gatewaysOverRedis(heldProcesses, redis.url)));
  const { label, dialect, ports } = server;
  const generators = shares.map((share) => ({
    share,
    generator: stack.use(startLoadGenerator(label, { dialect, ports })),
  }));
  const everywhere = (order: (share: number) => Order): Promise<LoadReport[]> =>
    Promise.all(generators.map(({ share, generator }) => generator.run(order(share))));

  session.progress(`Gateway sockets: connecting ${heldSockets}`);
  const connected = await everywhere((share) => ({ phase: "connect", sockets: share }));
  const connectS = Math.max(...connected.map(({ wallS }) => wallS));
  const held = everywhere(() => ({ phase: "hold", seconds }));
  const samples = await sampleMemory(session, () => server.pidsByServer().map(memoryBytes), held);
  const delivered = await everywhere(() => ({ phase: "deliver-once" }));
  const count = delivered.reduce((sum, { done }) => sum + done, 0);
  if (count !== heldSockets) throw new BenchFault(`${count} of ${heldSockets} sockets got their code at the end.`);
  report(session, samples, { seconds, connectS, deliverS: Math.max(...delivered.map(({ wallS }) => wallS)) });
}

function divide(count: number, parts: number): number[] {
  return Array.from(
    { length: parts },
    (_, part) => Math.floor(((part + 1) * count) / parts) - Math.floor((part * count) / parts),
  );
}

/** Samples the memory of each process until the work is done. */
async function sampleMemory(session: Session, read: () => number[], work: Promise<unknown>): Promise<number[][]> {
  const samples: number[][] = [];
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    session.signal.throwIfAborted();
    samples.push(read());
    const total = megabytes(sum(samples.at(-1) ?? []));
    session.progress(`Gateway sockets: holding ${heldSockets}, ${total} MB`);
    await Promise.race([done, delay(memorySampleMs)]);
  }
  await done;
  samples.push(read());
  return samples;
}

type Times = { seconds: number; connectS: number; deliverS: number };

function report(session: Session, samples: readonly number[][], { seconds, connectS, deliverS }: Times): void {
  const totals = samples.map(sum);
  const most = Math.max(...totals);
  const last = samples.at(-1) ?? [];
  const holds = most < maxHeldMegabytes * BYTES_PER_MEGABYTE;
  const sentence = `target ${holds ? "holds" : "missed"}: below ${maxHeldMegabytes} MB; it is ${megabytes(most)} MB at most`;
  session.say(
    [
      `Gateway sockets: ${heldSockets.toLocaleString("en")} registered over ${heldProcesses} instances and Redis`,
      `  registered in ${connectS.toFixed(1)} s, held for ${seconds} s, each then got its code through another instance in ${deliverS.toFixed(1)} s`,
      `  memory: ${megabytes(most)} MB at most, ${megabytes(sum(last))} MB at the end (${last.map(megabytes).join(" + ")})`,
      `  ${Math.round(sum(last) / heldSockets).toLocaleString("en")} bytes per socket at the end, including the processes themselves`,
    ],
    [{ sentence, holds, isStretch: false }],
  );
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const megabytes = (bytes: number): string => (bytes / BYTES_PER_MEGABYTE).toFixed(1);
