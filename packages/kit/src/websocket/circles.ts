const CIRCLES = 64;
/** Timers below this are not worth their wake-ups: several circles are then visited at once. */
const MIN_STEP_MS = 10;

/** Where a member is; kept by its circles. */
export type Seated = { circle: number; seat: number };

type Round<Member> = { everyMs: number; visit: (member: Member) => void; timer: NodeJS.Timeout | undefined };

/**
 * Everybody who is connected, in circles of equal size. A round visits one circle after another, so that what is done
 * for all, such as a ping, is spread over the whole round instead of falling into one moment. While nobody is there,
 * no timer runs.
 *
 * Arrays, because a Set copies itself every so often: what it leaves behind soon counts as old, and until the old is
 * collected it keeps connections that ended long ago.
 */
export class Circles<Member extends Seated> {
  readonly #circles = Array.from({ length: CIRCLES }, (): Member[] => []);
  readonly #rounds: Round<Member>[] = [];
  #next = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  join(member: Member): void {
    member.circle = this.#next;
    this.#next = (this.#next + 1) % CIRCLES;
    member.seat = this.#at(member.circle).push(member) - 1;
    this.#size += 1;
    if (this.#size === 1) for (const round of this.#rounds) this.#start(round);
  }

  /** The last of the circle takes the seat. */
  leave(member: Member): void {
    const circle = this.#at(member.circle);
    const last = circle.pop();
    if (last !== undefined && last !== member) {
      circle[member.seat] = last;
      last.seat = member.seat;
    }
    this.#size -= 1;
    if (this.#size === 0) for (const round of this.#rounds) clearInterval(round.timer);
  }

  members(): Member[] {
    return this.#circles.flat();
  }

  /** From the next member to come, each is visited once in about `everyMs`. */
  goRound(everyMs: number, visit: (member: Member) => void): void {
    this.#rounds.push({ everyMs, visit, timer: undefined });
  }

  #start(round: Round<Member>): void {
    const stepMs = Math.max(MIN_STEP_MS, round.everyMs / CIRCLES);
    const circlesAStep = Math.min(CIRCLES, Math.ceil((CIRCLES * stepMs) / round.everyMs));
    let index = 0;
    round.timer = setInterval(() => {
      for (let i = 0; i < circlesAStep; i += 1) {
        this.#visitAll(index, round.visit);
        index = (index + 1) % CIRCLES;
      }
    }, stepMs).unref();
  }

  /** From the end, so that who leaves when visited costs nobody a visit. */
  #visitAll(index: number, visit: (member: Member) => void): void {
    const circle = this.#at(index);
    for (let seat = circle.length - 1; seat >= 0; seat -= 1) visit(circle[seat] as Member);
  }

  #at(index: number): Member[] {
    return this.#circles[index] as Member[];
  }
}
