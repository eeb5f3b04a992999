import type { EvalLog, OuterToPage, PageToOuter, SandboxCondition } from "@backplane/contract/panels";
import { createFrameCalls, type Outcome, readFrameMessage } from "./frame-calls.ts";

export type SandboxFrame = {
  readonly generation: number;
  standing(): SandboxCondition;
  /** Resolves when code can run; also when it never will: what is asked then says why. */
  readonly ready: Promise<void>;
  run(code: string, isPrepared: boolean, timeoutMs: number): Promise<Outcome>;
  rasterise(background: string): Promise<ArrayBuffer>;
  close(): void;
};

type Options = {
  holder: HTMLElement;
  address: string;
  generation: number;
  onStanding(standing: SandboxCondition): void;
  onLog(log: EvalLog): void;
};

const GONE = "The code has left its page. Reset the sandbox to go on.";
const RESET = "The sandbox was reset before the code ended.";
const notLoaded = (ms: number): string =>
  `The sandbox did not load within ${ms / 1_000} s. Check that the address of its frame can be reached.`;

/** One frame of one generation, from its first byte to its end. */
export function openFrame({ holder, address, generation, onStanding, onLog }: Options): SandboxFrame {
  let standing: SandboxCondition = "loading";
  const ready = Promise.withResolvers<void>();
  const { port1: port, port2: given } = new MessageChannel();
  const stand = (next: SandboxCondition) => {
    if (standing === "gone") return;
    standing = next;
    onStanding(next);
  };

  const { run, rasterise, hear, close } = createFrameCalls({ port, onStanding: stand, onLog });
  port.onmessage = ({ data }: MessageEvent<unknown>) => {
    const message = readFrameMessage(data);
    if (message?.type === "ready") {
      stand("ready");
      ready.resolve();
    } else if (message) hear(message);
  };

  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.allow = "";
  frame.referrerPolicy = "no-referrer";
  frame.title = "What the code shows";
  frame.className = "sandbox-frame";
  let isGiven = false;
  const onMessage = ({ source, data }: MessageEvent<OuterToPage | null>) => {
    if (source !== frame.contentWindow || source === null) return;
    if (data?.type === "sandbox-loaded" && !isGiven) {
      isGiven = true;
      const message: PageToOuter = { type: "sandbox-port" };
      // Its origin is opaque, so that there is none to name.
      frame.contentWindow?.postMessage(message, "*", [given]);
    } else if (data?.type === "sandbox-gone") {
      stand("gone");
      close(GONE);
      ready.resolve();
    }
  };
  window.addEventListener("message", onMessage);
  frame.src = address;
  holder.append(frame);

  /** Time runs from here on, also while the frame loads. */
  async function whenReady(timeoutMs: number): Promise<"ready" | "late"> {
    if (standing !== "loading") return "ready";
    const late = Promise.withResolvers<"late">();
    const timer = setTimeout(() => late.resolve("late"), timeoutMs);
    const first = await Promise.race([ready.promise.then(() => "ready" as const), late.promise]);
    clearTimeout(timer);
    return first;
  }

  return {
    generation,
    standing: () => standing,
    ready: ready.promise,
    async run(code, isPrepared, timeoutMs) {
      if (standing === "loading" && (await whenReady(timeoutMs)) === "late") {
        return { status: "error", error: notLoaded(timeoutMs), logs: [], durationMs: undefined };
      }
      return run(code, isPrepared, timeoutMs);
    },
    rasterise,
    close() {
      window.removeEventListener("message", onMessage);
      close(RESET);
      ready.resolve();
      frame.remove();
      port.close();
    },
  };
}

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** FNV-1a. Names need only differ, and `crypto.subtle` is absent where the page came over plain http. */
function hash(text: string, seed: number): string {
  let value = OFFSET ^ seed;
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), PRIME);
  return (value >>> 0).toString(36);
}

/**
 * Where the frame of a sandbox is. Every sandbox, every generation and every window has a host name of its own, since
 * frames of one host share a process: an endless loop in one would stop them all.
 */
export function frameAddress(framesUrl: string, place: { path: string; window: string; generation: number }): string {
  const { path, window, generation } = place;
  return `${framesUrl.replace("*", `s-${hash(path, 0)}${hash(path, 1)}-${window}-${generation}`)}/`;
}

/** Tells this window from others that show the same sandbox. */
export const newWindowName = (random: () => number): string => Math.floor(random() * 36 ** 5).toString(36);
