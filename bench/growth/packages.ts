import { setTimeout as delay } from "node:timers/promises";
import { cpuSeconds } from "../harness/cpu-seconds.ts";
import { BenchFault } from "../harness/fault.ts";
import { memoryBytes } from "../harness/memory.ts";
import { type RunningServer, startServer } from "../harness/server.ts";
import { bundleRegistry } from "../registry/bundled-registry.ts";
import { archiveOf } from "../registry/index-archives.ts";
import { publishOne } from "../registry/publish-case.ts";
import { seedFolder } from "../registry/serve-seed.ts";
import { cpuPerCall } from "./cpu-per-call.ts";
import { growthCase } from "./growth.ts";

const SIZES = [100, 1_000, 3_000, 10_000, 30_000];
const PUBLICATIONS = 7;
/** What a publication causes later is counted for this long. */
const AFTERWARDS_MS = 500;
const READY_WITHIN_MS = 120_000;

const COSTS = {
  "until it is ready": { unit: "s of CPU", bar: "linear" },
  "one publication": { unit: "ms of CPU", bar: "linear" },
  memory: { unit: "MB", bar: "linear" },
  "packages.json, compressed": { unit: "ms of CPU", bar: "linear" },
  "packages.json, unchanged": { unit: "ms of CPU", bar: "flat" },
  "one package": { unit: "ms of CPU", bar: "flat" },
  "search, few are found": { unit: "ms of CPU", bar: "flat" },
  "search, a rare word and a common one": { unit: "ms of CPU", bar: "flat" },
  "search, most are found": { unit: "ms of CPU", bar: "linear" },
} as const;

export const packages = growthCase({
  ...{ name: "packages", title: "Packages in a registry", things: "packages", sizes: SIZES, costs: COSTS, measure },
  filled:
    "Three versions each, in two brands. The rows are written to the tables as if they had been published; the publications that are measured are real ones over HTTP, each with the half second after it. A search that finds few finds those.",
});

async function measure(size: number) {
  await using stack = new AsyncDisposableStack();
  const { folder } = stack.use(await seedFolder(size));
  const { on } = stack.use(await bundleRegistry());
  const server = stack.use(await startServer({ ...on("registry", folder), readyWithinMs: READY_WITHIN_MS }));
  const readyS = cpuSeconds(server.pids());
  const publications = await publishSome(server);
  const get = (path: string, headers: Record<string, string> = {}) => read(`${server.url}${path}`, headers);
  const etag = (await get("/registry/packages.json")).headers.get("etag") ?? "";
  return {
    "until it is ready": [readyS],
    "one publication": publications,
    "packages.json, compressed": await cpuPerCall(
      server,
      () => get("/registry/packages.json", { "accept-encoding": "gzip" }),
      { calls: 5, warmUp: 5 },
    ),
    "packages.json, unchanged": await cpuPerCall(server, () =>
      get("/registry/packages.json", { "accept-encoding": "identity", "if-none-match": etag }),
    ),
    "one package": await cpuPerCall(server, () => get("/registry/packages/org.example.author-7.package-7")),
    "search, few are found": await cpuPerCall(server, () => get("/registry/search?q=bench&limit=20")),
    "search, a rare word and a common one": await cpuPerCall(server, () =>
      get("/registry/search?q=package%20bench&limit=20"),
    ),
    "search, most are found": await cpuPerCall(server, () => get("/registry/search?q=board%20sym&limit=20"), {
      ...{ calls: 10, warmUp: 40 },
    }),
    memory: [memoryBytes(server.pids()) / 1e6],
  };
}

async function publishSome(server: RunningServer): Promise<number[]> {
  const took: number[] = [];
  for (let at = 0; at < PUBLICATIONS; at += 1) {
    const archive = archiveOf(at);
    const before = cpuSeconds(server.pids());
    await publishOne(server, archive, `publisher-${at}`);
    await delay(AFTERWARDS_MS);
    took.push((cpuSeconds(server.pids()) - before) * 1_000);
  }
  // The first ones are slower while the compiler is at work.
  return took.slice(2);
}

async function read(url: string, headers: Record<string, string>): Promise<Response> {
  const answer = await fetch(url, { headers });
  await answer.arrayBuffer();
  if (answer.ok || answer.status === 304) return answer;
  throw new BenchFault(`${url} was answered with ${answer.status}.`);
}
