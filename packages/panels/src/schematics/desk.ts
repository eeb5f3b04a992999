import { once } from "node:events";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { SchematicEdit } from "@backplane/contract/panels";
import { limitConcurrency, queueByKey } from "@backplane/kit/concurrency";
import { tooManyRequests } from "@backplane/kit/http";
import { refused, TOO_MUCH } from "./refused.ts";

/** What is done with a schematic. Each is answered with JSON. */
export type Task = { path: string; text: string } & (
  | { do: "view"; etag: string }
  | { do: "draw"; sheet: string }
  | { do: "edit"; root: string; edits: readonly SchematicEdit[] }
);
/** One use of a sheet. */
export type Drawn = { svg: string; widthMm: number; heightMm: number };
/** What edits give: the texts of files that have changed, by their names. */
export type Edited = { texts: [name: string, text: string][]; added: string[]; errors: number };
export type ToThread = { task: Task } | { opened: string | undefined } | { isBroken: true };
export type FromThread =
  | { isReady: true }
  | { open: Wanted }
  | { done: string }
  | { refused: string }
  | { fault: string };

/** A file of the project by its path, or a symbol library of a package by its name. */
export type Wanted = string | { package: string; library: string };
/** Gives the text of another file; undefined: the project has none of that name. */
export type OpenText = (wanted: Wanted) => Promise<string | undefined>;
export type Work = (task: Task, open: OpenText) => Promise<string>;

/** Next to this file, as TypeScript or built. */
const THREAD = `./schematic-thread${extname(import.meta.url)}`;
/** A hostile file of some kilobytes can ask for any amount of time and memory. */
const MAX_WORK_MS = 15_000;
const MAX_THREAD_MEMORY_MB = 512;
/** Of all, and of one person, who has one at a time: others do not wait for a person who sends hostile files. */
const AT_ONCE = 2;
const MAX_WAITING = 32;
const MAX_WAITING_PER_PERSON = 8;
const BUSY_MS = 1_000;

export type Desk = {
  /** Waits for the turn of this person, whose work is then done at once. */
  inTurn<T>(userId: string, use: (work: Work) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/** Reads, checks and changes schematics in threads, because that may take seconds. */
export function openDesk({ maxWorkMs = MAX_WORK_MS } = {}): Desk {
  const whenFull = () => tooManyRequests(BUSY_MS);
  const ofPerson = queueByKey({ maxWaiting: MAX_WAITING_PER_PERSON, whenFull });
  const ofAll = limitConcurrency({ atOnce: AT_ONCE, maxWaiting: MAX_WAITING, whenFull });
  const idle: Worker[] = [];
  const all = new Set<Worker>();

  async function start(): Promise<Worker> {
    const thread = new Worker(new URL(THREAD, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MAX_THREAD_MEMORY_MB },
    });
    all.add(thread);
    // Told to whoever waits for it.
    thread.on("error", () => {});
    thread.once("exit", () => {
      all.delete(thread);
      const at = idle.indexOf(thread);
      if (at !== -1) idle.splice(at, 1);
    });
    // Loading its code takes long on a busy machine, and is not the fault of a file.
    await Promise.race([once(thread, "message"), once(thread, "exit")]);
    if (!all.has(thread)) throw new Error("The thread for schematics did not start.");
    return thread;
  }

  const work: Work = async (task, open) => {
    const thread = idle.pop() ?? (await start());
    thread.ref();
    const timer = setTimeout(() => void thread.terminate(), maxWorkMs);
    const ended = await endOf(thread, task, open).finally(() => clearTimeout(timer));
    if (all.has(thread)) {
      thread.unref();
      idle.push(thread);
    }
    return ended();
  };

  return {
    inTurn: (userId, use) => ofPerson.run(userId, () => ofAll(() => use(work))),
    async close() {
      await Promise.all([...all].map((thread) => thread.terminate()));
    },
  };
}

/** When the thread can be given something else, or has ended. What is returned gives the result, or throws why there is none. */
function endOf(thread: Worker, task: Task, open: OpenText): Promise<() => string> {
  const { promise, resolve } = Promise.withResolvers<() => string>();
  const send = (message: ToThread) => thread.postMessage(message);
  const fail = (error: unknown) => () => {
    throw error;
  };
  let fault: unknown;
  const hear = (message: FromThread): void => {
    if ("done" in message) resolve(() => message.done);
    else if ("refused" in message) resolve(fail(refused(message.refused)));
    else if ("fault" in message) resolve(fail(fault ?? new Error(message.fault)));
    else if ("open" in message)
      open(message.open).then(
        (opened) => send({ opened }),
        (error: unknown) => {
          fault = error;
          send({ isBroken: true });
        },
      );
  };
  const hearFault = (error: NodeJS.ErrnoException): void => {
    fault = error.code === "ERR_WORKER_OUT_OF_MEMORY" ? undefined : error;
  };
  const hearExit = () => resolve(fail(fault ?? refused(TOO_MUCH)));
  thread.on("message", hear).on("error", hearFault).once("exit", hearExit);
  send({ task });
  return promise.finally(() => thread.off("message", hear).off("error", hearFault).off("exit", hearExit));
}
