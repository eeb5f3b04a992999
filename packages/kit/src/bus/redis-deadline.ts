/** The server was asked and has said nothing at all since: it is gone, whatever the connection looks like. */
export class Silent extends Error {}

/** The server talks, but does not get round to this. */
export class Overdue extends Error {}

/** The promise's outcome, or `Silent` after the given time. */
export function answeredWithin<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  return heardWithin(promise, { silenceMs: timeoutMs, maxWaitMs: timeoutMs, lastHeardMs: () => 0 });
}

/**
 * The promise's outcome, or `Silent` when nothing was heard for `silenceMs`, or `Overdue` after `maxWaitMs`. A long
 * queue of commands is thereby not mistaken for a dead server. `lastHeardMs` is a time of `performance.now()`.
 */
export function heardWithin<T>(
  promise: Promise<T>,
  { silenceMs, maxWaitMs, lastHeardMs }: { silenceMs: number; maxWaitMs: number; lastHeardMs: () => number },
): Promise<T> {
  const startMs = performance.now();
  return new Promise((resolve, reject) => {
    let settled = false;
    // When this process itself was busy for longer, the answer may lie unread in the socket: the extra turn of the event
    // loop reads it before the time counts as up.
    const wait = (ms: number) => setTimeout(() => setImmediate(check), ms);
    let timer = wait(silenceMs);

    function check(): void {
      if (settled) return;
      const nowMs = performance.now();
      const quietMs = nowMs - Math.max(startMs, lastHeardMs());
      if (quietMs >= silenceMs) reject(new Silent());
      else if (nowMs - startMs >= maxWaitMs) reject(new Overdue());
      else timer = wait(silenceMs - quietMs);
    }

    promise.then(resolve, reject).finally(() => {
      settled = true;
      clearTimeout(timer);
    });
  });
}
