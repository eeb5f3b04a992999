import { type Ack, DEVICES_LIMITS } from "@backplane/contract/devices";
import { pause } from "../authority/stopper.ts";
import { refused } from "../readers/waiting.ts";

const { ackMs } = DEVICES_LIMITS;
const LOOK_AGAIN_MS = 20;

/** What something was told, so that a later command ends the wait of an earlier one. */
export type Told = { readonly isStop: boolean };

type Settling<One> = {
  told: One;
  /** What it was told last. */
  now: () => One | undefined;
  look: () => Promise<Ack | undefined>;
  signal: AbortSignal;
  /** How long it may take. */
  forMs?: number;
  /** The answer if it takes longer. */
  otherwise?: () => Ack;
};

const doesNot = (): Ack => refused("no-answer", "The device does not do what it was told.");

/** Looks again and again until there is an answer, something else was told, or the time is over. */
export async function settle<One extends Told>(settling: Settling<One>): Promise<Ack> {
  const { told, now, look, signal, forMs = ackMs, otherwise = doesNot } = settling;
  const startMs = performance.now();
  const tookMs = () => performance.now() - startMs;
  while (!signal.aborted && tookMs() < forMs) {
    const ack = await look();
    const later = now();
    if (later !== told)
      return later?.isStop && !told.isStop
        ? { ok: false, code: "stopped", detail: "It was stopped.", tookMs: tookMs() }
        : { ok: true, reached: false, detail: "Something else was told since.", tookMs: tookMs() };
    if (ack) return { ...ack, tookMs: tookMs() };
    await pause(LOOK_AGAIN_MS, signal);
  }
  return signal.aborted
    ? refused("device-lost", "The connection to the device was lost.")
    : { ...otherwise(), tookMs: tookMs() };
}
