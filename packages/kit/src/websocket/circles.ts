const CIRCLES = 64;
/** Timers below this are not worth their wake-ups: several circles are then visited at once. */
const MIN_STEP_MS = 10;

type Round<Member> = { everyMs: number; visit: (member: Member) => void; timer: NodeJS.Timeout | undefined };

/**
 * Everybody who is connected, in circles of equal size. A round visits one circle after another, so that what is done
 * for all, such as a ping, is spread over the whole round instead of falling into one moment. While nobody is there,
 * no timer runs.
 */
export class Circles<Member> {
  readonly #circles = Array.from({ length: CIRCLES }, () => new Set<Member>());
  readonly #rounds: Round<Member>[] = [];
  #next = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns the circle that the member is now in, for `leave`. */
  join(member: Member): Set<Member> {
    const circle = this.#circles[this.#next] as Set<Member>;
    this.#next = (this.#next + 1) % CIRCLES;
    circle.add(member);
    this.#size += 1;
    if (this.#size === 1) for (const round of this.#rounds) this.#start(round);
    return circle;
  }

  leave(member: Member, circle: Set<Member>): void {
    circle.delete(member);
    this.#size -= 1;
    if (this.#size === 0) for (const round of this.#rounds) clearInterval(round.timer);
  }

  *[Symbol.iterator](): Generator<Member> {
    for (const circle of this.#circles) yield* circle;
  }

  /** From now on each member is visited once in about `everyMs`. */
  goRound(everyMs: number, visit: (member: Member) => void): void {
    this.#rounds.push({ everyMs, visit, timer: undefined });
  }

  #start(round: Round<Member>): void {
    const stepMs = Math.max(MIN_STEP_MS, round.everyMs / CIRCLES);
    const circlesAStep = Math.min(CIRCLES, Math.ceil((CIRCLES * stepMs) / round.everyMs));
    let at = 0;
    round.timer = setInterval(() => {
      for (let i = 0; i < circlesAStep; i += 1) {
        for (const member of this.#circles[at] as Set<Member>) round.visit(member);
        at = (at + 1) % CIRCLES;
      }
    }, stepMs).unref();
  }
}
