import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { type Examined, examineUpload } from "./examine-upload.ts";
import type { Upload } from "./receive-upload.ts";

export type Order = { id: number; file: string; brands: readonly string[] };
export type Report = { id: number; examined: Examined } | { id: number; fault: string };

export type Examiner = {
  examine(upload: Pick<Upload, "file" | "size">, brands: readonly string[]): Promise<Examined>;
  close(): Promise<void>;
};

/** Next to this file, as TypeScript or built. */
const THREAD = `./examine-thread${extname(import.meta.url)}`;
/** What is in such an archive is checked in a few milliseconds; starting a thread takes longer. */
const MAX_BYTES_IN_PLACE = 64 * 1024;
/** The list of the largest allowed archive takes a part of this. */
const MAX_THREAD_MEMORY_MB = 512;

/** Examines larger archives in a thread, because tens of thousands of entries would keep everybody else waiting. */
export function openExaminer(): Examiner {
  let thread: Worker | undefined;
  let lastId = 0;
  const waiting = new Map<number, PromiseWithResolvers<Examined>>();

  function start(): Worker {
    const started = new Worker(new URL(THREAD, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MAX_THREAD_MEMORY_MB },
    });
    started.on("message", (report: Report) => {
      const outcome = waiting.get(report.id);
      waiting.delete(report.id);
      if ("fault" in report) outcome?.reject(new Error(report.fault));
      else outcome?.resolve(report.examined);
      if (waiting.size === 0) started.unref();
    });
    let fault = new Error("The thread that examines archives has ended.");
    started.once("error", (error: Error) => {
      fault = error;
    });
    started.once("exit", () => {
      // The next upload starts a new one.
      thread = undefined;
      for (const outcome of waiting.values()) outcome.reject(fault);
      waiting.clear();
    });
    return started;
  }

  return {
    async examine({ file, size }, brands) {
      if (size <= MAX_BYTES_IN_PLACE) return examineUpload(file, brands);
      thread ??= start();
      thread.ref();
      const outcome = Promise.withResolvers<Examined>();
      lastId += 1;
      waiting.set(lastId, outcome);
      thread.postMessage({ id: lastId, file, brands } satisfies Order);
      return outcome.promise;
    },
    async close() {
      await thread?.terminate();
    },
  };
}
