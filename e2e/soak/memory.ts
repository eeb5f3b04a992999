import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, CDPSession } from "playwright-core";

const LOOKS = 3;
const BETWEEN_LOOKS_MS = 1_500;

/** Bytes after everything that nobody uses any more was collected. */
export type Memory = {
  /** Of the browser's process that runs the page, and of the platform: without files that are only mapped. */
  page: number;
  server: number;
  /** Objects, and what typed arrays take. */
  pageHeap: number;
  serverHeap: number;
};

type HeapUsage = { usedSize: number; backingStorageSize?: number };

export type MemoryProbe = AsyncDisposable & { measure(): Promise<Memory> };

/** `inspector`: the address that Node prints when it is started with `--inspect`. */
export async function openMemoryProbe(
  browser: Browser,
  page: CDPSession,
  server: { pid: number; inspector: string },
): Promise<MemoryProbe> {
  const system = await browser.newBrowserCDPSession();
  const rendererPids = async () => {
    const { processInfo } = await system.send("SystemInfo.getProcessInfo");
    return processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
  };

  async function look(): Promise<Memory> {
    await page.send("HeapProfiler.collectGarbage");
    const seen: HeapUsage = await page.send("Runtime.getHeapUsage");
    const served = await collectAndRead(server.inspector);
    const pids = await rendererPids();
    return {
      ...{ page: pids.reduce((sum, pid) => sum + anonymousBytes(pid), 0), server: anonymousBytes(server.pid) },
      ...{ pageHeap: sizeOf(seen), serverHeap: sizeOf(served) },
    };
  }

  return {
    /** The lowest of several looks: both go on while one looks, and give memory back a moment later. */
    async measure() {
      let lowest = await look();
      for (let looks = 1; looks < LOOKS; looks += 1) {
        await sleep(BETWEEN_LOOKS_MS);
        const next = await look();
        lowest = Object.fromEntries(
          Object.entries(next).map(([key, bytes]) => [key, Math.min(bytes, lowest[key as keyof Memory])]),
        ) as Memory;
      }
      return lowest;
    },
    async [Symbol.asyncDispose]() {
      await system.detach();
    },
  };
}

/** What a process does not share with others: how many of them run must not matter. */
function anonymousBytes(pid: number): number {
  const kilobytes = /^Anonymous:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1];
  if (kilobytes === undefined) throw new Error(`The memory of process ${pid} is not in /proc.`);
  return Number(kilobytes) * 1_024;
}

const sizeOf = ({ usedSize, backingStorageSize = 0 }: HeapUsage): number => usedSize + backingStorageSize;

/** A connection per look: an inspector that stays keeps what it shows. */
async function collectAndRead(inspector: string): Promise<HeapUsage> {
  const socket = new WebSocket(inspector);
  const opened = Promise.withResolvers<void>();
  const answers = new Map<number, (result: unknown) => void>();
  socket.onopen = () => opened.resolve();
  socket.onerror = () => opened.reject(new Error(`No inspector answers at ${inspector}.`));
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: unknown };
    answers.get(id)?.(result);
  };
  const ask = (id: number, method: string): Promise<unknown> => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    answers.set(id, resolve);
    socket.send(JSON.stringify({ id, method }));
    return promise;
  };
  try {
    await opened.promise;
    await ask(1, "HeapProfiler.collectGarbage");
    return (await ask(2, "Runtime.getHeapUsage")) as HeapUsage;
  } finally {
    socket.close();
  }
}
