import type { FrameBounds, FrameToPage, PageToFrame } from "@backplane/contract/panels";
import { createRunner } from "../../sandbox/frame/create-runner.ts";
import { createNatives, type FrameWindow } from "../../sandbox/frame/natives.ts";

/**
 * Runs code of programs beside the panel, in its frame: what the panel keeps in global names is there for it, and what it
 * may do is what the panel may do. `send` takes several messages at a time.
 */
export function createProgramRunner(
  frame: FrameWindow,
  bounds: FrameBounds,
  nameOfGuard: string,
  send: (messages: FrameToPage[]) => void,
): (order: PageToFrame) => void {
  const MAX_WAITING = 20;
  const SEND_AFTER_MS = 50;
  const natives = createNatives(frame);
  let waiting: FrameToPage[] = [];
  const flush = (): void => {
    if (waiting.length > 0) send(waiting);
    waiting = [];
  };
  function post(message: FrameToPage): void {
    if (message.type === "log" && message.id === null) return;
    waiting.push(message);
    // Code that has begun may never let anything else run.
    if (message.type !== "log" || waiting.length >= MAX_WAITING) flush();
    else if (waiting.length === 1) natives.setTimeout(flush, SEND_AFTER_MS);
  }
  const printed = { ...frame.console };
  const { take, current } = createRunner(frame, { natives, bounds, nameOfGuard, post });
  for (const name of ["log", "info", "warn", "error", "debug"] as const) {
    const [print, tell] = [printed[name], frame.console[name]];
    // What the panel itself prints is for the console of the browser.
    frame.console[name] = (...values: unknown[]) => (current() === null ? print : tell)(...values);
  }
  return (order) => {
    if (order.type !== "rasterise") take(order);
  };
}
