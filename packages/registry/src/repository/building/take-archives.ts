import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { extname } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Archive, ArchiveRefusal } from "../../archives/archive.ts";
import { HELD_BYTES } from "../../archives/bytes.ts";
import { inspectArchive } from "../../archives/read-archive.ts";

/** Next to this file, as TypeScript or built. */
const THREAD = `./take-archives-thread${extname(import.meta.url)}`;

/** With less work, starting and warming up threads takes longer than it saves. */
const MIN_BYTES_FOR_THREADS = 32 * 1024 * 1024;
const MAX_THREADS = 4;
/** After this many archives, messages from other threads are handled. */
const TAKEN_IN_A_TURN = 16;

/** What a thread gets. `next` is shared memory: the number of the next task that no thread has taken. */
export type Share = { tasks: readonly Task[]; next: Int32Array };
export type TakenArchive = { index: number; taken: Taken };

type Options = {
  signal?: AbortSignal | undefined;
  /** Default: as many as are worth it. */
  threads?: number;
  onTaken(index: number, taken: Taken): void;
};

/** Processes all archives, on several cores if there is much to do. Results come in no particular order. */
export async function takeArchives(tasks: readonly Task[], { signal, threads, onTaken }: Options): Promise<void> {
  const share: Share = { tasks, next: new Int32Array(new SharedArrayBuffer(4)) };
  const others = (threads ?? threadsFor(tasks)) - 1;
  const running = Array.from({ length: others }, () =>
    runThread(share, (result) => {
      for (const { index, taken } of result) onTaken(index, taken);
    }),
  );
  let count = 0;
  const own = takeShare(share, async ({ index, taken }) => {
    signal?.throwIfAborted();
    onTaken(index, taken);
    if (others > 0 && ++count % TAKEN_IN_A_TURN === 0) await nextTurn();
  });
  try {
    await Promise.all([own, ...running]);
  } catch (error) {
    // Let the other threads stop, and wait for them, so that nothing is written during clean-up.
    Atomics.store(share.next, 0, tasks.length);
    await Promise.allSettled([own, ...running]);
    throw error;
  }
}

function threadsFor(tasks: readonly Task[]): number {
  const bytes = tasks.reduce((sum, { size }) => sum + size, 0);
  return bytes < MIN_BYTES_FOR_THREADS ? 1 : Math.min(availableParallelism(), MAX_THREADS);
}

/** Processes one task after the other until none is left. */
export async function takeShare(
  { tasks, next }: Share,
  send: (result: TakenArchive) => Promise<void> | void,
): Promise<void> {
  const scratch = Buffer.allocUnsafeSlow(HELD_BYTES);
  for (;;) {
    const index = Atomics.add(next, 0, 1);
    const task = tasks[index];
    if (task === undefined) return;
    await send({ index, taken: await takeArchive(task, scratch) });
  }
}

function runThread(workerData: Share, onTaken: (result: TakenArchive[]) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const worker = new Worker(new URL(THREAD, import.meta.url), { workerData });
  worker.on("message", onTaken);
  worker.once("error", reject);
  worker.once("exit", () => resolve());
  return promise;
}

/** Larger archives are copied without loading them into memory. */
const MAX_BYTES_IN_MEMORY = 16 * 1024 * 1024;

/** An archive to inspect; without `copy` it is served from where it is. */
type Task = { file: string; copy?: string; size: number };

export type Taken =
  | { archive: Archive; sha256: string; size: number }
  | { refusal: ArchiveRefusal }
  | { unreadable: string };

/**
 * Copies an archive and inspects the copy, so that exactly what was checked and hashed gets served, whatever happens to
 * the original.
 */
async function takeArchive({ file, copy, size }: Task, scratch: Buffer): Promise<Taken> {
  try {
    if (copy !== undefined && size <= MAX_BYTES_IN_MEMORY) writeFileSync(copy, readFileSync(file));
    else if (copy !== undefined) copyFileSync(file, copy);
    return await inspectArchive(copy ?? file, { scratch });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (typeof code !== "string") throw error;
    return { unreadable: message };
  }
}
