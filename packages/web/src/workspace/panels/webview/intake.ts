const ONE_SECOND_MS = 1_000;
/** A page that scrolls says so once a frame; no honest one says much more. */
export const MAX_MESSAGES_PER_SECOND = 120;

type Options = {
  now?: () => number;
  setTimer?: (run: () => void, afterMs: number) => () => void;
};

const realTimer = (run: () => void, afterMs: number): (() => void) => {
  const timer = setTimeout(run, afterMs);
  return () => clearTimeout(timer);
};

/**
 * Lets so many messages a second through. Of what comes faster only the last of each kind is heard, when the second is
 * over: a page that floods its panel would otherwise keep the whole workspace busy with drawing it.
 */
export function createIntake({ now = () => performance.now(), setTimer = realTimer }: Options = {}) {
  const late = new Map<string, () => void>();
  let sinceMs = Number.NEGATIVE_INFINITY;
  let count = 0;
  let cancel: (() => void) | undefined;

  function catchUp(): void {
    cancel = undefined;
    const due = [...late.values()];
    late.clear();
    sinceMs = now();
    count = due.length;
    for (const hear of due) hear();
  }

  return {
    take(kind: string, hear: () => void): void {
      const nowMs = now();
      if (!cancel && nowMs - sinceMs >= ONE_SECOND_MS) {
        sinceMs = nowMs;
        count = 0;
      }
      if (!cancel && count < MAX_MESSAGES_PER_SECOND) {
        count += 1;
        hear();
        return;
      }
      late.delete(kind);
      late.set(kind, hear);
      cancel ??= setTimer(catchUp, ONE_SECOND_MS - (nowMs - sinceMs));
    },
    close(): void {
      cancel?.();
      late.clear();
    },
  };
}
