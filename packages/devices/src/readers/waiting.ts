import { type Ack, type AckCode, DEVICES_LIMITS } from "@backplane/contract/devices";
import type { Clock } from "@backplane/kit/clock";

export type Settle = { ok: true; reached?: false; detail?: string } | { ok: false; code: AckCode; detail?: string };

/** A command that waits for its answer. */
export type Waiting = {
  readonly answer: Promise<Ack>;
  /** Nothing but the first call counts. */
  settle(result: Settle): void;
  /** The device has it; it has more time to get there. */
  accept(): void;
};

/** A device that has accepted a command may take this long to be there: lamps fade, covers travel. */
const REACH_MS = 30_000;

export type WaitingList = {
  add(options?: { onAccepted?: (() => void) | undefined; ackMs?: number; isOver?: () => void }): Waiting;
  close(): void;
};

/** Answers that are waited for, each with a time limit. */
export function createWaitingList(now: Clock, { reachMs = REACH_MS } = {}): WaitingList {
  const all = new Set<Waiting>();
  return {
    add({ onAccepted, ackMs = DEVICES_LIMITS.ackMs, isOver } = {}) {
      const startMs = now();
      const { promise, resolve } = Promise.withResolvers<Ack>();
      let isAccepted = false;
      const giveUp = () =>
        waiting.settle({
          ok: false,
          code: "no-answer",
          detail: isAccepted ? "The device has the command, but does not get there." : "The device did not answer.",
        });
      let timer = setTimeout(giveUp, ackMs);
      const waiting: Waiting = {
        answer: promise,
        settle(result) {
          if (!all.delete(waiting)) return;
          clearTimeout(timer);
          isOver?.();
          resolve({ ...result, tookMs: Math.max(0, now() - startMs) });
        },
        accept() {
          if (isAccepted || !all.has(waiting)) return;
          isAccepted = true;
          clearTimeout(timer);
          timer = setTimeout(giveUp, reachMs);
          onAccepted?.();
        },
      };
      all.add(waiting);
      return waiting;
    },
    close() {
      for (const waiting of [...all])
        waiting.settle({ ok: false, code: "device-lost", detail: "The link was closed." });
    },
  };
}

/** Sends, and again every 200 ms if it `isRepeated`, until it is answered. Without that, what cannot be sent is not tried again. */
export async function sendAndWait(
  waiting: Waiting,
  send: () => Promise<void>,
  { isRepeated = false }: { isRepeated?: boolean },
): Promise<Ack> {
  const attempt = (): void => {
    send().catch((error: unknown) => {
      const detail = error instanceof Error ? error.message : String(error);
      if (!isRepeated) waiting.settle({ ok: false, code: "device-lost", detail });
    });
  };
  attempt();
  const timer = isRepeated ? setInterval(attempt, DEVICES_LIMITS.repeatMs) : undefined;
  try {
    return await waiting.answer;
  } finally {
    clearInterval(timer);
  }
}

export const refused = (code: AckCode, detail: string): Ack => ({ ok: false, code, detail, tookMs: 0 });

/** Of several answers the first that failed, or the slowest; nothing to ask is done at once. */
export async function worstOf(answers: readonly Promise<Ack>[]): Promise<Ack> {
  const all = await Promise.all(answers);
  return all.find(({ ok }) => !ok) ?? all.toSorted((a, b) => b.tookMs - a.tookMs)[0] ?? { ok: true, tookMs: 0 };
}
