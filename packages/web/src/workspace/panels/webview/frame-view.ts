import type { FrameFault } from "./faults.ts";
import type { Scroll } from "./tracker-messages.ts";

export type FrameView = {
  readonly address: string | undefined;
  readonly isProxied: boolean;
  readonly title: string | undefined;
  readonly icon: string | undefined;
  readonly scroll: Scroll | null;
  /** Since when it loads, on the clock of `performance.now()`. */
  readonly loadingSinceMs: number | undefined;
  readonly fault: FrameFault | undefined;
  /** Directly shown pages do not tell where they went; only that they did is known. */
  readonly hasWandered: boolean;
  /** Nobody can tell whether the site let itself be framed. */
  readonly mayBeBlank: boolean;
  readonly canGoBack: boolean;
  readonly canGoForward: boolean;
};

export const EMPTY: FrameView = {
  ...{ address: undefined, isProxied: false, title: undefined, icon: undefined, scroll: null },
  ...{ loadingSinceMs: undefined, fault: undefined, hasWandered: false, mayBeBlank: false },
  ...{ canGoBack: false, canGoForward: false },
};
