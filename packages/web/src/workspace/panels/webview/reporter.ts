import { REPORT_PAUSE_MS } from "./limits.ts";

export type Shown = { url?: string; title?: string };

/** Tells the server what is shown, at most every so often: of what comes in between, the last counts. */
export function createReporter(send: (shown: Shown) => void) {
  let waiting: Shown = {};
  let timer: ReturnType<typeof setTimeout> | undefined;

  const flush = () => {
    timer = undefined;
    const shown = waiting;
    waiting = {};
    if (Object.keys(shown).length > 0) send(shown);
  };

  return {
    tell(shown: Shown) {
      waiting = { ...waiting, ...shown };
      timer ??= setTimeout(flush, REPORT_PAUSE_MS);
    },
    /** Something else is loaded: what was about to be told is over. */
    forget() {
      waiting = {};
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
