import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { JsonData } from "@backplane/contract/panels";
import type { Columns } from "./ring.ts";

type Extremes = {
  min: number;
  max: number;
  isMinFirst: boolean;
  hasNumber: boolean;
  first: JsonData | null;
  last: JsonData | null;
};

/**
 * What is left of the samples of one window: two rows, at the times of its first and its last sample. They have the lowest
 * and the highest value of every number, in the order in which these came; of everything else the first and the last.
 */
class Window {
  readonly #firstTMs: number;
  #lastTMs: number;
  #count = 0;
  readonly #fields: Extremes[];

  constructor(tMs: number, width: number) {
    this.#firstTMs = tMs;
    this.#lastTMs = tMs;
    this.#fields = Array.from({ length: width }, () => ({
      ...{ min: 0, max: 0, isMinFirst: true, hasNumber: false, first: null, last: null },
    }));
  }

  add(tMs: number, row: (field: number) => JsonData | null): void {
    this.#lastTMs = tMs;
    this.#count += 1;
    for (const [place, field] of this.#fields.entries()) {
      const value = row(place);
      if (value === null) continue;
      if (typeof value === "number") addNumber(field, value);
      field.first ??= value;
      field.last = value;
    }
  }

  into({ tMs, values }: Columns): void {
    const isOne = this.#count === 1;
    tMs.push(this.#firstTMs);
    if (!isOne) tMs.push(this.#lastTMs);
    for (const [place, { hasNumber, min, max, isMinFirst, first, last }] of this.#fields.entries()) {
      const [one, other] = !hasNumber ? [first, last] : isMinFirst ? [min, max] : [max, min];
      values[place]?.push(one);
      if (!isOne) values[place]?.push(other);
    }
  }
}

function addNumber(field: Extremes, value: number): void {
  if (!field.hasNumber) {
    field.hasNumber = true;
    field.min = value;
    field.max = value;
  } else if (value < field.min) {
    field.min = value;
    field.isMinFirst = false;
  } else if (value > field.max) {
    field.max = value;
    field.isMinFirst = true;
  }
}

export type Envelope = {
  add(tMs: number, row: (field: number) => JsonData | null): void;
  /** The windows that have ended by this time, or all. */
  take(untilMs?: number): Columns;
  readonly isEmpty: boolean;
};

/** Every 100 ms of a channel as two rows, so that no extreme is lost. */
export function createEnvelope(width: number, windowMs: number = DEVICES_LIMITS.envelopeMs): Envelope {
  const empty = (): Columns => ({ tMs: [], values: Array.from({ length: width }, () => []) });
  let done = empty();
  let window: Window | undefined;
  let endsAtMs = 0;
  function end(): void {
    window?.into(done);
    window = undefined;
  }
  return {
    add(tMs, row) {
      if (window && tMs >= endsAtMs) end();
      if (!window) {
        window = new Window(tMs, width);
        endsAtMs = (Math.floor(tMs / windowMs) + 1) * windowMs;
      }
      window.add(tMs, row);
    },
    take(untilMs = Number.POSITIVE_INFINITY) {
      if (window && endsAtMs <= untilMs) end();
      const taken = done;
      done = empty();
      return taken;
    },
    get isEmpty() {
      return window === undefined && done.tMs.length === 0;
    },
  };
}
