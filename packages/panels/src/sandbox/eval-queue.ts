import { randomUUID } from "node:crypto";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import type { Clock } from "@backplane/kit/clock";
import { Problem } from "@backplane/kit/problems";
import type { Live, Services } from "../services.ts";
import type { EvalStore, KnownEval, TakenEval, WaitingTab } from "./eval-store.ts";
import { type Browser, type Ran, type Run, runInBrowser } from "./run-code.ts";
import { createWaitingTabs } from "./waiting-tabs.ts";

const SWEEP_EVERY_MS = 15_000;
/** How long a browser may take to say whether it shows a sandbox. */
const LOOK_TIMEOUT_MS = 5_000;
/** Longer than any code may run. */
const TAKEN_FOR_MS = PANELS_LIMITS.maxEvalTimeoutMs + 15_000;

const UNKNOWN = { status: "unknown" } as const;
const RESET = {
  queued: { status: "error", error: "The code did not run. The sandbox was reset first." },
  taken: { status: "error", error: "The sandbox was reset before the code finished." },
} as const;

export type EvalQueue = {
  /** Whether code waits for this tab: later code then queues behind it. Answered from memory. */
  isWaiting(tab: WaitingTab): boolean;
  /** 429 browser-busy when the queue is full. Returns the id by which the result is picked up. */
  add(run: Run): Promise<string>;
  drop(tab: WaitingTab): Promise<number>;
  length(tab: WaitingTab): Promise<number>;
  find(workspaceId: string, id: string): Promise<KnownEval | undefined>;
  /** Runs the queue of a tab, in order, as long as a browser shows it. */
  drain(tab: WaitingTab): Promise<void>;
  sweep(): Promise<void>;
  close(): Promise<void>;
};

type Options = Pick<Services, "bus" | "onFault"> & {
  store: EvalStore;
  journal: Browser["journal"];
  live: Pick<Live, "ask" | "onMounted">;
  now: Clock;
};

export async function openEvalQueue({ store, journal, live, bus, now, onFault }: Options): Promise<EvalQueue> {
  const waiting = await createWaitingTabs({ bus, read: () => store.waiting(), onFault });
  let isClosed = false;

  /** Of taken code whose instance dies nobody knows whether it ran. So code is taken only for a browser that can run it. */
  async function isShown({ workspaceId, tabId }: WaitingTab): Promise<boolean> {
    return (await live.ask(workspaceId, { kind: "sandbox", tabId }, { timeoutMs: LOOK_TIMEOUT_MS })).ok;
  }

  async function runNext(tab: WaitingTab): Promise<"ran" | "nothing" | "later"> {
    const taken = await store.take(tab, now());
    if (!taken) return "nothing";
    const ran = await runInBrowser({ live, journal }, { ...tab, ...taken }).catch((fault: unknown) =>
      notGiven(taken, fault),
    );
    if (ran.kind === "done" || ran.kind === "unknown") {
      await store.finish(taken.id, ran.kind === "done" ? ran.result : UNKNOWN, now());
      return "ran";
    }
    await store.putBack(taken.id, RESET.queued);
    return "later";
  }

  /** No browser got it. What is too long for an order would only hold up what is behind it. */
  async function notGiven({ id }: TakenEval, fault: unknown): Promise<Ran> {
    if (fault instanceof Problem && fault.code === "payload-too-large") {
      const result = { status: "error", error: `The code did not run. ${fault.detail}` } as const;
      return { kind: "done", result, text: JSON.stringify(result) };
    }
    await store.putBack(id, RESET.queued);
    throw fault;
  }

  async function drainOnce(tab: WaitingTab): Promise<void> {
    const isLater = (await store.countQueued(tab)) > 0 && !(await isShown(tab));
    for (;;) {
      if (isClosed) return;
      const next = isLater ? "later" : await runNext(tab);
      if (next === "ran") continue;
      // Also when a drain elsewhere saw an empty queue just before this was added.
      if (next === "later" && !waiting.has(tab)) await waiting.add(tab);
      // Another instance may be running one, and then continues with the rest.
      if (next === "nothing" && (await store.countQueued(tab)) === 0) await waiting.remove(tab);
      return;
    }
  }

  const drains = createDrains(drainOnce, () => isClosed, onFault);
  const { drain } = drains;

  const stopListening = live.onMounted(({ workspaceId, tabId }) => {
    void drain({ workspaceId, tabId });
  });

  async function sweep(): Promise<void> {
    const nowMs = now();
    await store.giveUpTaken(nowMs - TAKEN_FOR_MS, UNKNOWN, nowMs);
    await store.sweep(nowMs - PANELS_LIMITS.queuedEvalLifeMs, nowMs - PANELS_LIMITS.evalResultLifeMs);
    await waiting.refresh();
    // A browser may have been busy, or the instance that saw the panel mount may be gone.
    await Promise.all(waiting.all().map(drain));
  }
  let sweeping: Promise<void> = Promise.resolve();
  const sweeper = setInterval(() => {
    sweeping = sweeping.then(sweep).catch(onFault);
  }, SWEEP_EVERY_MS).unref();

  return {
    isWaiting: (tab) => waiting.has(tab),
    async add({ workspaceId, tabId, code, timeoutMs }) {
      const id = randomUUID();
      const limits = { perTab: PANELS_LIMITS.maxQueuedEvals, perOwner: PANELS_LIMITS.maxEvalsPerOwner };
      const added = await store.add({ workspaceId, tabId, id, code, timeoutMs, nowMs: now() }, limits);
      if (added !== "added") throw queueFull(added, limits);
      await waiting.add({ workspaceId, tabId });
      // The panel may have been mounted since the first look.
      void drain({ workspaceId, tabId });
      return id;
    },
    async drop(tab) {
      const count = await store.drop(tab, RESET, now());
      if (waiting.has(tab)) await waiting.remove(tab);
      return count;
    },
    length: (tab) => store.countUndone(tab),
    find: (workspaceId, id) => store.find(workspaceId, id),
    drain,
    sweep,
    async close() {
      isClosed = true;
      clearInterval(sweeper);
      stopListening();
      await sweeping;
      await drains.idle();
      await waiting.close();
    },
  };
}

function queueFull(
  which: "tab-full" | "owner-full",
  { perTab, perOwner }: { perTab: number; perOwner: number },
): Problem {
  const detail =
    which === "tab-full"
      ? `${perTab} evals are queued for this sandbox. Open the workspace in a browser, or reset the sandbox.`
      : `The sandboxes of one owner keep at most ${perOwner} queued evals and results. Try again in a few minutes.`;
  return new Problem("browser-busy", { detail, headers: { "retry-after": "5" } });
}

/** One drain at a time per tab; a request during a drain makes it look once more. */
function createDrains(
  drainOnce: (tab: WaitingTab) => Promise<void>,
  isClosed: () => boolean,
  onFault: (error: unknown) => void,
) {
  const draining = new Map<string, { again: boolean; done: Promise<void> }>();

  async function untilDone(tab: WaitingTab, entry: { again: boolean }): Promise<void> {
    do {
      entry.again = false;
      await drainOnce(tab);
    } while (entry.again && !isClosed());
  }

  return {
    drain(tab: WaitingTab): Promise<void> {
      const key = `${tab.workspaceId} ${tab.tabId}`;
      const running = draining.get(key);
      if (running) {
        running.again = true;
        return running.done;
      }
      const entry = { again: false, done: Promise.resolve() };
      entry.done = untilDone(tab, entry)
        .catch(onFault)
        .finally(() => draining.delete(key));
      draining.set(key, entry);
      return entry.done;
    },
    async idle(): Promise<void> {
      await Promise.all([...draining.values()].map(({ done }) => done));
    },
  };
}
