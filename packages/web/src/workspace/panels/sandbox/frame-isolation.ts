import type { FrameToPage, PageToFrame } from "@backplane/contract/panels";

/** Longer each time: on a busy machine this page may get no turn during a short one. */
const BLOCKS_MS: readonly number[] = [10, 30, 90];

type Options = { port: { postMessage(message: PageToFrame): void }; now?: () => number };

/**
 * Finds out whether a frame runs beside this page or on its thread. The frame says that it begins to block, blocks, and
 * says when it ended: only a page on another thread can hear the first before the end. A wrong "no" makes code slower;
 * a wrong "yes" cannot be.
 */
export function probeIsolation({ port, now = Date.now }: Options) {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let tries = 0;
  let heardAtMs = Number.POSITIVE_INFINITY;

  function next(): void {
    const blockMs = BLOCKS_MS[tries];
    tries += 1;
    if (blockMs === undefined) resolve(false);
    else port.postMessage({ type: "block", blockMs });
  }

  next();
  return {
    isIsolated: promise,
    receive(message: Extract<FrameToPage, { type: "block-begun" | "block-ended" }>): void {
      if (message.type === "block-begun") heardAtMs = now();
      else if (heardAtMs < message.atMs) resolve(true);
      else next();
    },
  };
}
