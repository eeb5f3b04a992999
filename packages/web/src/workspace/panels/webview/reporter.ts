import { REPORT_PAUSE_MS } from "./limits.ts";

export type Shown = { url?: string; title?: string };

/** Reports to the server what is shown, with a pause in between. Changes during the pause are reported as one. */
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
    report(shown: Shown) {
      waiting = { ...waiting, ...shown };
      timer ??= setTimeout(flush, REPORT_PAUSE_MS);
    },
    /** Something else is loaded: drops what was not reported yet. */
    forget() {
      waiting = {};
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
