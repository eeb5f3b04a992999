import type { Clock } from "@backplane/kit/clock";

/** How long a packet that is missing is waited for: it is asked for again, and that takes a round trip. */
const WAIT_MS = 150;
const MAX_WAITING = 1_024;
/** Numbers that differ by more than this are those of another sender. */
const NEAR = 4_096;

/**
 * Packets of UDP in the order of their numbers, each of them once. `onLost`: one was waited for in vain, and is left out.
 */
export function createReorder<Packet extends { number: number }>(
  now: Clock,
  { take, onLost }: { take(packet: Packet): void; onLost(): void },
): (packet: Packet) => void {
  const waiting = new Map<number, Packet>();
  let next: number | undefined;
  let sinceMs = 0;

  /** What is there without a gap. */
  function pass(): void {
    for (;;) {
      const packet = next === undefined ? undefined : waiting.get(next);
      if (next === undefined || !packet) return;
      waiting.delete(next);
      next = (next + 1) & 0xffff;
      sinceMs = now();
      take(packet);
    }
  }
  function skip(): void {
    const from = next ?? 0;
    const ahead = (number: number) => (number - from) & 0xffff;
    next = [...waiting.keys()].reduce((least, number) => (ahead(number) < ahead(least) ? number : least));
    onLost();
    pass();
  }

  return (packet) => {
    const behind = next === undefined ? 0 : ((next - packet.number + 0x8000) & 0xffff) - 0x8000;
    if (next === undefined || Math.abs(behind) > NEAR) {
      if (next !== undefined) onLost();
      waiting.clear();
      next = packet.number;
    } else if (behind > 0) return;
    if (waiting.size === 0) sinceMs = now();
    waiting.set(packet.number, packet);
    pass();
    if (waiting.size > 0 && (waiting.size > MAX_WAITING || now() - sinceMs > WAIT_MS)) skip();
  };
}
