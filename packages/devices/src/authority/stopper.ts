import { type Ack, DEVICES_LIMITS } from "@backplane/contract/devices";
import type { Clock } from "@backplane/kit/clock";

const { ackMs, repeatMs } = DEVICES_LIMITS;
const MAX_WAIT_MS = 2_000;
/** A second call within this time, with nothing sent or answered in between, is the same stop: a flood of calls is no flood for the device. */
const SAME_STOP_MS = 20;

export type Stopper = {
  /**
   * Sends at once. Resolves with the first answer; goes on until the device has answered that it stopped. `why`: only
   * calls for the same reason can be one stop.
   */
  stop(device: string, why: string): Promise<Ack>;
  /** The device was told to do something else since: an earlier stop is not sent again. */
  supersede(device: string): void;
  close(): void;
};

type StopperOptions = {
  /** One attempt: what makes the device stop is sent before this returns. */
  send(device: string): Promise<Ack>;
  /** False: it is gone, or not connected. It is stopped when it comes back. */
  isReachable(device: string): boolean;
  steady: Clock;
  /** The answer to an attempt after the first one. */
  onLateAnswer(device: string, ack: Ack): void;
  onFault(error: unknown): void;
};

type Turn = { turn: number; sentMs: number; answer: Promise<Ack>; why: string; isWaiting: boolean };

/** Tells devices to stop until they have. */
export function createStopper({ send, isReachable, steady, onLateAnswer, onFault }: StopperOptions): Stopper {
  const turns = new Map<string, Turn>();
  const closing = new AbortController();
  let count = 0;

  function attempt(device: string): Promise<Ack> {
    const startMs = steady();
    const noAnswer = (): Ack => ({ ok: false, code: "no-answer", tookMs: steady() - startMs });
    const failed = (error: unknown): Ack => {
      onFault(error);
      return noAnswer();
    };
    try {
      return within(send(device).catch(failed), ackMs, noAnswer);
    } catch (error) {
      return Promise.resolve(failed(error));
    }
  }

  async function repeat(device: string, turn: number): Promise<void> {
    for (let waitMs: number = repeatMs; ; waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)) {
      await pause(waitMs, closing.signal);
      if (closing.signal.aborted || turns.get(device)?.turn !== turn || !isReachable(device)) return;
      const ack = await attempt(device);
      if (!ack.ok && ack.code !== "unsupported") continue;
      onLateAnswer(device, ack);
      return;
    }
  }

  return {
    stop(device, why) {
      const last = turns.get(device);
      if (last?.isWaiting && last.why === why && steady() - last.sentMs < SAME_STOP_MS) return last.answer;
      count += 1;
      const turn = count;
      const answer = attempt(device);
      const mine = { turn, sentMs: steady(), answer, why, isWaiting: true };
      turns.set(device, mine);
      void answer.then((ack) => {
        mine.isWaiting = false;
        return ack.ok || ack.code === "unsupported" ? undefined : repeat(device, turn);
      });
      return answer;
    },
    supersede: (device) => void turns.delete(device),
    close: () => closing.abort(),
  };
}

/** The result, or what takes its place after this time. */
export function within<Result>(work: Promise<Result>, ms: number, otherwise: () => Result): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(otherwise()), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Waits, or until the signal. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    timer.unref();
    signal.addEventListener("abort", end);
  });
}
