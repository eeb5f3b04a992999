/** Members that all have the same time to finish. One timer serves all: the first added is due first. */
export class Deadlines<Member> {
  readonly #withinMs: number;
  readonly #onDue: (member: Member) => void;
  readonly #dueAtMs = new Map<Member, number>();
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;

  constructor(withinMs: number, onDue: (member: Member) => void, now: () => number = () => performance.now()) {
    this.#withinMs = withinMs;
    this.#onDue = onDue;
    this.#now = now;
  }

  add(member: Member): void {
    if (this.#dueAtMs.has(member)) return;
    this.#dueAtMs.set(member, this.#now() + this.#withinMs);
    if (this.#timer === undefined) this.#wake(this.#withinMs);
  }

  remove(member: Member): void {
    this.#dueAtMs.delete(member);
  }

  #wake(inMs: number): void {
    this.#timer = setTimeout(() => this.#check(), inMs).unref();
  }

  #check(): void {
    this.#timer = undefined;
    for (const [member, dueAtMs] of this.#dueAtMs) {
      const leftMs = dueAtMs - this.#now();
      if (leftMs > 0) {
        this.#wake(leftMs);
        return;
      }
      this.#dueAtMs.delete(member);
      this.#onDue(member);
    }
  }
}
