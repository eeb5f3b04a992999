import type { Browser, CDPSession } from "playwright-core";
import { memoryBytes } from "../../bench/harness/memory.ts";

/** Bytes after everything that nobody uses any more was collected. */
export type Memory = {
  /** Objects of the page, and what its typed arrays take. */
  pageHeap: number;
  /** Of the browser's process that runs the page. */
  page: number;
  serverHeap: number;
  server: number;
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
  return {
    async measure() {
      await page.send("HeapProfiler.collectGarbage");
      const seen: HeapUsage = await page.send("Runtime.getHeapUsage");
      const served = await collectAndRead(server.inspector);
      return {
        ...{ pageHeap: sizeOf(seen), page: memoryBytes(await rendererPids()) },
        ...{ serverHeap: sizeOf(served), server: memoryBytes([server.pid]) },
      };
    },
    async [Symbol.asyncDispose]() {
      await system.detach();
    },
  };
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
