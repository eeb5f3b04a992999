import type { EvalLog, SandboxCondition } from "@backplane/contract/panels";
import { openOuterFrame } from "../outer-frame.ts";
import { FrameCalls, notRun, type Outcome, readFrameMessage } from "./frame-calls.ts";
import { probeIsolation } from "./frame-isolation.ts";

export type SandboxFrame = {
  readonly generation: number;
  condition(): SandboxCondition;
  /** Resolves when code can run, or never will. In that case `run` says why. */
  readonly ready: Promise<void>;
  /** Not begun after `untilMs`: the result then says so. */
  run(code: string, isPrepared: boolean, timeoutMs: number, untilMs: number): Promise<Outcome>;
  /** Once it is ready: whether code can block this page, and so has to be guarded. */
  sharesThread(): boolean;
  rasterise(background: string): Promise<ArrayBuffer>;
  close(): void;
};

type Options = {
  holder: HTMLElement;
  address: string;
  generation: number;
  onCondition(condition: SandboxCondition): void;
  onLog(log: EvalLog): void;
};

/** How long code may keep the thread where it shares this page's: people notice more. */
const MAX_BLOCK_MS = 1_000;
const NOT_GUARDED =
  "This browser gives sandboxes no process of their own, and code with this syntax cannot be kept from blocking the page.";

const GONE = "The code has left its page. Reset the sandbox to continue.";
const FLOODED =
  "The code was stopped: it sent the page around it more messages than that can take. Reset the sandbox to continue.";
const TOOK_KEYBOARD =
  "The code was stopped: it kept taking the keyboard from another panel. Reset the sandbox to continue.";
const RESET = "The sandbox was reset before the code ended.";
const notLoaded = (ms: number): string =>
  `The sandbox did not load within ${Math.round(ms) / 1_000} s. Check that this browser can reach the address of its frame.`;

/** Opens the frame that runs the code. It belongs to one generation: a reset replaces it. */
export function openFrame({ holder, address, generation, onCondition, onLog }: Options): SandboxFrame {
  let condition: SandboxCondition = "loading";
  const ready = Promise.withResolvers<void>();
  const { port1: port, port2: given } = new MessageChannel();
  const setCondition = (next: SandboxCondition) => {
    if (condition === "gone") return;
    condition = next;
    onCondition(next);
  };

  const calls = new FrameCalls({ port, onCondition: setCondition, onLog });
  let probe: ReturnType<typeof probeIsolation> | undefined;
  async function findOutIsolation(): Promise<void> {
    probe = probeIsolation({ port });
    if (!(await probe.isIsolated)) calls.maxBlockMs = MAX_BLOCK_MS;
    setCondition("ready");
    ready.resolve();
  }
  port.onmessage = ({ data }: MessageEvent<unknown>) => {
    const message = readFrameMessage(data);
    if (message?.type === "ready") void findOutIsolation();
    else if (message?.type === "block-begun" || message?.type === "block-ended") probe?.receive(message);
    else if (message) calls.receive(message);
  };

  function end(reason: string): void {
    setCondition("gone");
    calls.close(reason);
    ready.resolve();
  }
  const stop = (reason: string) => () => {
    outer.close();
    onLog({ level: "error", text: reason });
    end(reason);
  };
  const outer = openOuterFrame({
    ...{ holder, address, given, title: "What the code shows", className: "sandbox-frame" },
    onGone: () => end(GONE),
    onFlood: stop(FLOODED),
    onTookKeyboard: stop(TOOK_KEYBOARD),
  });

  return {
    generation,
    condition: () => condition,
    ready: ready.promise,
    async run(code, isPrepared, timeoutMs, untilMs) {
      const waitMs = Math.min(timeoutMs, untilMs - Date.now());
      const isLoaded = condition !== "loading" || (await endsWithin(ready.promise, waitMs));
      if (!isLoaded) return notRun(notLoaded(waitMs));
      const runnable = calls.maxBlockMs === undefined ? code : await guard(code, isPrepared);
      return runnable === undefined ? notRun(NOT_GUARDED) : calls.run(runnable, isPrepared, timeoutMs, untilMs);
    },
    sharesThread: () => calls.maxBlockMs !== undefined,
    rasterise: (background) => calls.rasterise(background),
    close() {
      calls.close(RESET);
      ready.resolve();
      outer.close();
      port.close();
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

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** FNV-1a: the names only have to differ, and pages over plain http have no `crypto.subtle`. */
function hash(text: string, seed: number): string {
  let value = OFFSET ^ seed;
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), PRIME);
  return (value >>> 0).toString(36);
}

/**
 * The address of a sandbox's frame. Every sandbox, generation and window has a host name of its own, because frames of
 * one host share a process: an endless loop in one of them would stop them all.
 */
export function frameAddress(framesUrl: string, place: { path: string; window: string; generation: number }): string {
  const { path, window, generation } = place;
  return `${framesUrl.replace("*", `s-${hash(path, 0)}${hash(path, 1)}-${window}-${generation}`)}/`;
}

/** Distinguishes this window from others that show the same sandbox. */
export const newWindowName = (random: () => number): string => Math.floor(random() * 36 ** 5).toString(36);
