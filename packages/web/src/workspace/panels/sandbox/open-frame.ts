import type { EvalLog, SandboxCondition } from "@backplane/contract/panels";
import { openOuterFrame } from "../outer-frame.ts";
import { createCodeFrame } from "./code-frame.ts";
import { readFrameMessage } from "./frame-calls.ts";

type CodeFrame = ReturnType<typeof createCodeFrame>;
export type SandboxFrame = Pick<CodeFrame, "condition" | "ready" | "run" | "sharesThread" | "rasterise"> & {
  readonly generation: number;
  close(): void;
};

type Options = {
  holder: HTMLElement;
  address: string;
  generation: number;
  onCondition(condition: SandboxCondition): void;
  onLog(log: EvalLog): void;
};

const GONE = "The code has left its page. Reset the sandbox to continue.";
const FLOODED =
  "The code was stopped: it sent the page around it more messages than that can take. Reset the sandbox to continue.";
const TOOK_KEYBOARD =
  "The code was stopped: it kept taking the keyboard from another panel. Reset the sandbox to continue.";
const RESET = "The sandbox was reset before the code ended.";

/** Opens the frame that runs the code. It belongs to one generation: a reset replaces it. */
export function openFrame({ holder, address, generation, onCondition, onLog }: Options): SandboxFrame {
  const { port1: port, port2: given } = new MessageChannel();
  const code = createCodeFrame({ port, where: "sandbox", onCondition, onLog });
  port.onmessage = ({ data }: MessageEvent<unknown>) => {
    const message = readFrameMessage(data);
    if (message) code.receive(message);
  };

  const stop = (reason: string) => () => {
    outer.close();
    onLog({ level: "error", text: reason });
    code.end(reason);
  };
  const outer = openOuterFrame({
    ...{ holder, address, given, title: "What the code shows", className: "sandbox-frame" },
    onGone: () => code.end(GONE),
    onFlood: stop(FLOODED),
    onTookKeyboard: stop(TOOK_KEYBOARD),
  });

  return {
    ...code,
    generation,
    close() {
      code.close(RESET);
      outer.close();
      port.close();
    },
  };
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
