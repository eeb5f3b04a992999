import type { EvalLog, FrameToPage, PageToFrame, SandboxCondition } from "@backplane/contract/panels";
import { FrameCalls, notRun, type Outcome } from "./frame-calls.ts";
import { probeIsolation } from "./frame-isolation.ts";

type Options = {
  port: { postMessage(message: PageToFrame): void };
  /** What people reset when it hangs. */
  where: "sandbox" | "panel";
  onCondition(condition: SandboxCondition): void;
  onLog(log: EvalLog): void;
};

/** How long code may keep the thread where it shares this page's: people notice more. */
const MAX_BLOCK_MS = 1_000;
const NOT_GUARDED =
  "This browser gives sandboxes no process of their own, and code with this syntax cannot be kept from blocking the page.";
const notLoaded = (ms: number, where: string): string =>
  `The ${where} did not load within ${Math.round(ms) / 1_000} s. Check that this browser can reach the address of its frame.`;

/** Code of programs in a frame, whatever its messages come over. */
export function createCodeFrame({ port, where, onCondition, onLog }: Options) {
  let condition: SandboxCondition = "loading";
  const ready = Promise.withResolvers<void>();
  const setCondition = (next: SandboxCondition) => {
    if (condition === "gone") return;
    condition = next;
    onCondition(next);
  };
  const calls = new FrameCalls({ port, where, onCondition: setCondition, onLog });
  let probe: ReturnType<typeof probeIsolation> | undefined;
  async function findOutIsolation(): Promise<void> {
    probe = probeIsolation({ port });
    if (!(await probe.isIsolated)) calls.maxBlockMs = MAX_BLOCK_MS;
    setCondition("ready");
    ready.resolve();
  }

  return {
    condition: () => condition,
    /** Resolves when code can run, or never will. In that case `run` says why. */
    ready: ready.promise,
    receive(message: FrameToPage): void {
      if (message.type === "ready") void findOutIsolation();
      else if (message.type === "block-begun" || message.type === "block-ended") probe?.receive(message);
      else calls.receive(message);
    },
    /** Not begun after `untilMs`: the result then says so. */
    async run(code: string, isPrepared: boolean, timeoutMs: number, untilMs: number): Promise<Outcome> {
      const waitMs = Math.min(timeoutMs, untilMs - Date.now());
      const isLoaded = condition !== "loading" || (await endsWithin(ready.promise, waitMs));
      if (!isLoaded) return notRun(notLoaded(waitMs, where));
      const runnable = calls.maxBlockMs === undefined ? code : await guard(code, isPrepared);
      return runnable === undefined ? notRun(NOT_GUARDED) : calls.run(runnable, isPrepared, timeoutMs, untilMs);
    },
    /** Once it is ready: whether code can block this page, and so has to be guarded. */
    sharesThread: (): boolean => calls.maxBlockMs !== undefined,
    rasterise: (background: string) => calls.rasterise(background),
    /** It has left its page, or was stopped. */
    end(reason: string): void {
      setCondition("gone");
      calls.close(reason);
      ready.resolve();
    },
    /** Nobody looks at it any more. */
    close(reason: string): void {
      calls.close(reason);
      ready.resolve();
    },
  };
}

export async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), ms);
  const isInTime = await Promise.race([work.then(() => true), late.promise]);
  clearTimeout(timer);
  return isInTime;
}

async function guard(code: string, isPrepared: boolean): Promise<string | undefined> {
  const { guardCode } = await import("./guard-code.ts");
  const headEnd = isPrepared ? code.indexOf("\n") + 1 : 0;
  const guarded = guardCode(code.slice(headEnd), "script");
  return guarded === undefined ? undefined : code.slice(0, headEnd) + guarded;
}
