import type { SharingRequest } from "@backplane/contract/panels";

/** One pin is one second, as far as they can be told apart. */
const MAX_PINS = 30;

export type Countdown = { leftS: number; ofS: number; pins: number; lit: number; label: string; words: string };

/** How long a program still waits. The server's clock may differ: never more than it waits at all, never less than none. */
export function countdown({ untilMs, waitMs }: Pick<SharingRequest, "untilMs" | "waitMs">, nowMs: number): Countdown {
  const leftMs = Math.min(Math.max(untilMs - nowMs, 0), waitMs);
  const leftS = Math.ceil(leftMs / 1_000);
  const ofS = Math.max(1, Math.ceil(waitMs / 1_000));
  const pins = Math.min(ofS, MAX_PINS);
  const lit = Math.ceil((leftMs * pins) / Math.max(1, waitMs));
  const label = leftS === 0 ? "The program stopped waiting" : "The program waits";
  return { leftS, ofS, pins, lit, label, words: leftWords(leftS) };
}

function leftWords(leftS: number): string {
  if (leftS === 0) return "it can ask again";
  return leftS < 60 ? `${leftS} s left` : `${Math.floor(leftS / 60)} min ${leftS % 60} s left`;
}
