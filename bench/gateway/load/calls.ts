import { Caller } from "./caller.ts";
import { callers } from "./limits.ts";
import { Queue } from "./queue.ts";
import type { Link, Subscriber } from "./subscriber.ts";

/** One server that gets callbacks, the connections to it, and the subscribers it serves. */
type Lane = { host: string; idle: Caller[]; waiting: Queue<Subscriber> };

/** The callbacks of one phase, one per caller at a time, to the subscriber that waits longest. */
export class Calls {
  readonly #link: Link;
  readonly #lanes: readonly Lane[];
  readonly #callers: readonly Caller[];
  /** Called when a caller is free again. */
  readonly #onFree: () => void;
  #underWay = 0;
  #next = 0;
  #made = 0;

  constructor(link: Link, onFree: () => void) {
    this.#link = link;
    this.#onFree = onFree;
    const each = Math.ceil(callers / link.ports.length);
    this.#lanes = link.ports.map((port) => ({
      host: `127.0.0.1:${port}`,
      idle: Array.from({ length: each }, () => new Caller(port, link.faults)),
      waiting: new Queue(),
    }));
    this.#callers = this.#lanes.flatMap(({ idle }) => idle);
  }

  get underWay(): number {
    return this.#underWay;
  }

  get waiting(): number {
    return this.#lanes.reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  offer(subscriber: Subscriber): void {
    this.#lanes[subscriber.lane]?.waiting.push(subscriber);
  }

  /** Sends callbacks while there are callers and subscribers, and `takeDue` returns a time. */
  send(takeDue: () => number | undefined): void {
    for (;;) {
      const lane = this.#usableLane();
      if (lane === undefined) return;
      const dueMs = takeDue();
      if (dueMs === undefined) return;
      this.#call(lane, dueMs);
    }
  }

  close(): void {
    for (const caller of this.#callers) caller.close();
  }

  /** The lanes take turns. */
  #usableLane(): Lane | undefined {
    for (let tried = 0; tried < this.#lanes.length; tried++) {
      const lane = this.#lanes[this.#next++ % this.#lanes.length];
      if (lane !== undefined && lane.idle.length > 0 && lane.waiting.length > 0) return lane;
    }
    return undefined;
  }

  #call({ host, idle, waiting }: Lane, dueMs: number): void {
    const caller = idle.pop();
    const subscriber = waiting.take();
    if (caller === undefined || subscriber === undefined) return;
    const code = codeOf(this.#made++);
    subscriber.expect(code, dueMs);
    this.#underWay += 1;
    caller.send(this.#link.dialect.callback(subscriber.state, code, host), () => {
      this.#underWay -= 1;
      idle.push(caller);
      this.#onFree();
    });
  }
}

/** A unique code per callback, with the slash and the typical length of providers' codes. */
function codeOf(number: number): string {
  return `4/0AcvDMrB-${String(number).padStart(40, "0")}`;
}
