import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";

/** As the engine returns it, in pixels of the bitmap that it was given. */
export type EngineBox = { x0: number; y0: number; x1: number; y1: number };
export type EngineWord = { text: string; confidence: number; bbox: EngineBox };
export type EngineLine = { words: EngineWord[]; bbox: EngineBox };
export type EngineBlock = { paragraphs: { lines: EngineLine[] }[] };

export type Engine = {
  /** Transfers the file's memory. Rejects when the engine ends; an engine that takes too long is ended. */
  recognise(file: Uint8Array<ArrayBuffer>, timeoutMs: number): Promise<EngineBlock[]>;
  readonly hasEnded: boolean;
  end(): Promise<void>;
};

class EngineFault extends Error {
  override name = "EngineFault";
}

type Reply = { jobId: string; action: string; status: "resolve" | "reject" | "progress"; data: unknown };
type PendingJob = { resolve(data: unknown): void; reject(fault: Error): void };

const LANGUAGE = "eng";
const NEURAL_ENGINE_ONLY = 1;
const PARAMETERS = {
  tessedit_pageseg_mode: "3",
  /** Pictures are prepared as dark on light; trying both ways takes twice the time. */
  tessedit_do_invert: "0",
  user_defined_dpi: "110",
  debug_file: "/dev/null",
};

/**
 * tesseract.js in its own thread. Uses the worker script directly: `createWorker` never settles if the language cannot be
 * read, and does not listen to errors of the thread, which would then end this process.
 */
export async function startEngine(timeoutMs: number): Promise<Engine> {
  const { resolve } = createRequire(import.meta.url);
  const thread = new Worker(resolve("tesseract.js/src/worker-script/node/index.js"), { stdout: true, stderr: true });
  thread.unref();
  thread.stdout.resume();
  thread.stderr.resume();
  const pending = new Map<string, PendingJob>();
  let hasEnded = false;
  let jobs = 0;

  const fail = (reason: string): void => {
    hasEnded = true;
    for (const { reject } of pending.values()) reject(new EngineFault(reason));
    pending.clear();
  };
  thread.on("message", (reply: Reply) => {
    const job = reply.status === "progress" ? undefined : pending.get(reply.jobId);
    if (job === undefined) return;
    pending.delete(reply.jobId);
    if (reply.status === "resolve") job.resolve(reply.data);
    else job.reject(new EngineFault(`The engine could not ${reply.action}`));
  });
  thread.on("error", (error) => fail(`The engine failed: ${error.message}`));
  thread.on("exit", () => fail("The engine ended"));

  const end = async (): Promise<void> => {
    hasEnded = true;
    await thread.terminate();
  };
  const ask = async (action: string, payload: object, limitMs: number, transfer: ArrayBuffer[] = []) => {
    if (hasEnded) throw new EngineFault("The engine ended");
    const { promise, resolve: done, reject } = Promise.withResolvers<unknown>();
    const jobId = String(jobs++);
    pending.set(jobId, { resolve: done, reject });
    thread.ref();
    const timer = setTimeout(() => {
      fail(`The engine took more than ${limitMs} ms`);
      void end();
    }, limitMs);
    thread.postMessage({ workerId: LANGUAGE, jobId, action, payload }, transfer);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      if (pending.size === 0) thread.unref();
    }
  };

  try {
    const langPath = join(dirname(resolve("@tesseract.js-data/eng/package.json")), "4.0.0_best_int");
    const options = { langPath, gzip: true, cacheMethod: "none", lstmOnly: true };
    await ask("load", { options: { lstmOnly: true, logging: false } }, timeoutMs);
    await ask("loadLanguage", { langs: LANGUAGE, options }, timeoutMs);
    await ask("initialize", { langs: LANGUAGE, oem: NEURAL_ENGINE_ONLY, config: {} }, timeoutMs);
    await ask("setParameters", { params: PARAMETERS }, timeoutMs);
  } catch (error) {
    await end();
    throw error;
  }

  return {
    async recognise(file, limitMs) {
      const output = { text: false, blocks: true };
      const page = await ask("recognize", { image: file, options: {}, output }, limitMs, [file.buffer]);
      return (page as { blocks: EngineBlock[] | null }).blocks ?? [];
    },
    get hasEnded() {
      return hasEnded;
    },
    end,
  };
}
