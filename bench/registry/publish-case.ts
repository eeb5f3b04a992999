import { setTimeout as delay } from "node:timers/promises";
import { cpuSeconds } from "../harness/cpu-seconds.ts";
import { BenchFault } from "../harness/fault.ts";
import { spreadOf } from "../harness/figures.ts";
import { memoryBytes } from "../harness/memory.ts";
import type { Measurement } from "../harness/round.ts";
import { runRounds } from "../harness/rounds.ts";
import { type RunningServer, startServer } from "../harness/server.ts";
import type { Session } from "../harness/session.ts";
import { bundleRegistry } from "./bundled-registry.ts";
import { archiveOf } from "./index-archives.ts";
import { seedFolder } from "./serve-seed.ts";

const COUNTS = { many: 10_000, few: 100 } as const;
/** Publications of one repetition, one after the other. */
const PUBLICATIONS = 5;
/** What a publication causes later is counted for this long. */
const AFTERWARDS_MS = 3_000;
const MAX = { cpuMs: 50, memoryMb: 250, readyS: 2, growth: 10 } as const;

type Registry = { server: RunningServer; firstReadyS: number; readyS: number };

/** Publishing into 10,000 packages in two brands, compared with publishing into 100. */
export async function publish(session: Session): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const registries = new Map<string, Registry>();
  session.progress("Publish: bundling the registry");
  const bundled = stack.use(await bundleRegistry());
  for (const count of Object.values(COUNTS)) {
    session.progress(`Publish: making ${count} packages`);
    const { folder } = stack.use(await seedFolder(count));
    const start = async () => {
      const startMs = performance.now();
      const server = await startServer(bundled.on(labelOf(count), folder));
      return { server, readyS: (performance.now() - startMs) / 1_000 };
    };
    const first = await start();
    await first.server[Symbol.asyncDispose]();
    const { server, readyS } = await start();
    stack.use(server);
    registries.set(labelOf(count), { server, firstReadyS: first.readyS, readyS });
  }
  let published = 0;
  const measure = async (label: string): Promise<Measurement> => {
    const { server } = registryOf(registries, label);
    const archives = Array.from({ length: PUBLICATIONS }, () => archiveOf(published++));
    const cpuBefore = cpuSeconds(server.pids());
    const startMs = performance.now();
    for (const archive of archives) await publishOne(server, archive, `publisher-${published++}`);
    const wallS = (performance.now() - startMs) / 1_000;
    const measured = { operations: PUBLICATIONS, wallS, cpuS: cpuSeconds(server.pids()) - cpuBefore };
    return measured;
  };
  const title = "Publish";
  const [ours, peer] = [labelOf(COUNTS.many), labelOf(COUNTS.few)];
  const rounds = await runRounds(session, { title, labels: [ours, peer], measure });
  session.report({
    ...{ title, description: "a new package with an icon, 47 KB", unit: "publications", ours, peers: [peer], rounds },
    targets: [{ measure: "per CPU-s", peer, atLeast: 1 / MAX.growth }],
  });

  const { server, firstReadyS, readyS } = registryOf(registries, ours);
  // Several, because one in ten or so pays for the collection of everybody's garbage.
  const took: number[] = [];
  for (let at = 0; at < PUBLICATIONS; at += 1) {
    const cpuBefore = cpuSeconds(server.pids());
    await publishOne(server, archiveOf(published++), `publisher-${published++}`);
    await delay(AFTERWARDS_MS);
    took.push((cpuSeconds(server.pids()) - cpuBefore) * 1_000);
  }
  const { median: cpuMs, max } = spreadOf(took);
  const memoryMb = memoryBytes(server.pids()) / 1e6;
  session.say(
    [
      `With ${COUNTS.many} packages (of ${PUBLICATIONS} publications, the longest took ${max.toFixed(0)} ms of CPU time; the first start, which has to write everything, took ${firstReadyS.toFixed(1)} s):`,
    ],
    [
      verdict(`CPU time of one publication, and of ${AFTERWARDS_MS / 1_000} s after it, in ms`, cpuMs, MAX.cpuMs),
      verdict("memory, in MB", memoryMb, MAX.memoryMb),
      verdict("until it is ready, in s", readyS, MAX.readyS),
    ],
  );
}

const labelOf = (count: number): string => `${count} packages`;

function registryOf(registries: ReadonlyMap<string, Registry>, label: string): Registry {
  const found = registries.get(label);
  if (found === undefined) throw new BenchFault(`Publish: there is no registry with ${label}.`);
  return found;
}

function verdict(what: string, value: number, max: number) {
  const holds = value <= max;
  const sentence = `target ${holds ? "holds" : "missed"}: ${what}, at most ${max}; it is ${value.toFixed(1)}`;
  return { sentence, holds, isStretch: false };
}

/** Each by another person, because one person may not publish so much at once. */
export async function publishOne({ url }: RunningServer, archive: Buffer, from: string): Promise<void> {
  const headers = { "content-type": "application/zip", from };
  const answer = await fetch(`${url}/registry/packages`, { method: "POST", headers, body: new Uint8Array(archive) });
  if (answer.status !== 201)
    throw new BenchFault(`Publishing was answered with ${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
}
