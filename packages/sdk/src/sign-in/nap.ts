export type Naps = {
  /** True when it was cut short by `ring`; a bell that rang before counts. */
  nap(ms: number): Promise<boolean>;
  ring(): void;
};

/** Pauses that can be cut short; the signal ends them for good. */
export function createNaps(signal: AbortSignal): Naps {
  let hasRung = false;
  let wake = (): void => {};
  return {
    ring() {
      hasRung = true;
      wake();
    },
    async nap(ms) {
      if (!hasRung && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const done = () => {
            clearTimeout(timer);
            signal.removeEventListener("abort", done);
            resolve();
          };
          const timer = setTimeout(done, ms);
          signal.addEventListener("abort", done);
          wake = done;
        });
      }
      const wasRung = hasRung;
      hasRung = false;
      return wasRung;
    },
  };
}
