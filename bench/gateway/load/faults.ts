/**
 * misrouted: a message with another state or code than its socket waits for, or at a socket that waits for none.
 * refused: a handshake or a registration that was not accepted. failed: a callback answered without success.
 * lost: a message or an answer that never came. closed: a connection that the server ended.
 */
export type FaultKind = "misrouted" | "refused" | "failed" | "lost" | "closed";

export type FaultCounts = Readonly<Record<FaultKind, number>>;

/** Everything that went wrong: a single fault makes the run's figures void. */
export class Faults {
  #counts: Record<FaultKind, number> = { misrouted: 0, refused: 0, failed: 0, lost: 0, closed: 0 };
  #first: string | undefined;

  add(kind: FaultKind, what: string, count = 1): void {
    this.#counts[kind] += count;
    this.#first ??= what;
  }

  report(): { counts: FaultCounts; first: string | undefined } {
    return { counts: { ...this.#counts }, first: this.#first };
  }
}

export function faultCount(counts: FaultCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
