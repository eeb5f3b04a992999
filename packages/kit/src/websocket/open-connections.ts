const BUCKETS = 64;
/** A timer that fires more often is not worth it: several buckets are visited at a time instead. */
const MIN_STEP_MS = 10;

/** Where a member is: set by `Buckets`. */
export type BucketPlace = { bucket: number; index: number };

type Schedule<Member> = { everyMs: number; visit: (member: Member) => void; timer: NodeJS.Timeout | undefined };

/**
 * All open connections, in buckets of equal size. Periodic work, such as a ping, visits one bucket after another, so that
 * it is spread over the whole period instead of happening at one moment. Without members no timer runs.
 *
 * Buckets are arrays: a Set copies itself now and then, and the old copies keep closed connections in memory until V8
 * collects its old generation.
 */
export class Buckets<Member extends BucketPlace> {
  readonly #buckets = Array.from({ length: BUCKETS }, (): Member[] => []);
  readonly #schedules: Schedule<Member>[] = [];
  #next = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(member: Member): void {
    member.bucket = this.#next;
    this.#next = (this.#next + 1) % BUCKETS;
    member.index = this.#at(member.bucket).push(member) - 1;
    this.#size += 1;
    if (this.#size === 1) for (const schedule of this.#schedules) this.#start(schedule);
  }

  /** The bucket's last member takes the free place. */
  remove(member: Member): void {
    const bucket = this.#at(member.bucket);
    const last = bucket.pop();
    if (last !== undefined && last !== member) {
      bucket[member.index] = last;
      last.index = member.index;
    }
    this.#size -= 1;
    if (this.#size === 0) for (const schedule of this.#schedules) clearInterval(schedule.timer);
  }

  members(): Member[] {
    return this.#buckets.flat();
  }

  /** Visits each member about every `everyMs`, from the time when the next first member is added. */
  visitEvery(everyMs: number, visit: (member: Member) => void): void {
    this.#schedules.push({ everyMs, visit, timer: undefined });
  }

  #start(schedule: Schedule<Member>): void {
    const stepMs = Math.max(MIN_STEP_MS, schedule.everyMs / BUCKETS);
    const bucketsPerStep = Math.min(BUCKETS, Math.ceil((BUCKETS * stepMs) / schedule.everyMs));
    let next = 0;
    schedule.timer = setInterval(() => {
      for (let step = 0; step < bucketsPerStep; step += 1) {
        this.#visitBucket(next, schedule.visit);
        next = (next + 1) % BUCKETS;
      }
    }, stepMs).unref();
  }

  /** From the end: a member that leaves while it is visited is replaced by one that was visited already. */
  #visitBucket(number: number, visit: (member: Member) => void): void {
    const bucket = this.#at(number);
    for (let index = bucket.length - 1; index >= 0; index -= 1) visit(bucket[index] as Member);
  }

  #at(number: number): Member[] {
    return this.#buckets[number] as Member[];
  }
}

/** The connections of one address share this object, so that its text is kept once. */
export type AddressTally = { readonly address: string; count: number };

export class Addresses {
  readonly #tallies = new Map<string, AddressTally>();

  countOf(address: string): number {
    return this.#tallies.get(address)?.count ?? 0;
  }

  add(address: string): AddressTally {
    let tally = this.#tallies.get(address);
    if (tally === undefined) {
      tally = { address, count: 0 };
      this.#tallies.set(address, tally);
    }
    tally.count += 1;
    return tally;
  }

  remove(tally: AddressTally): void {
    tally.count -= 1;
    if (tally.count === 0) this.#tallies.delete(tally.address);
  }
}
