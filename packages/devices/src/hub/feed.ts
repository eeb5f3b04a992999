import { type Batch, DEVICES_LIMITS, type Want } from "@backplane/contract/devices";
import type { JsonData } from "@backplane/contract/panels";
import { createEnvelope, type Envelope } from "../model/envelope.ts";
import type { Columns, Ring } from "../model/ring.ts";
import type { View } from "./view.ts";

const { hiddenRateHz } = DEVICES_LIMITS;
const SECOND_MS = 1_000;
/** Values in one batch: history comes in pieces. */
const MAX_BATCH_VALUES = 20_000;

/** Rows of one subscription. `isHistory`: they replace what the reader has at these times and later. */
export type Fed = Columns & { fields: readonly string[]; thinned: boolean; isHistory: boolean };

export type FeedState = {
  nowMs: number;
  /** The reader is slow. */
  isThin: boolean;
  isHidden: boolean;
};

/** One subscription: a place in the samples of a channel. */
export type Feed = {
  readonly want: Want;
  /** What has come since, in pieces; undefined: nothing to send now. */
  take(state: FeedState): Fed | undefined;
  /** There is more, now or soon, even if nothing new comes. */
  readonly hasMore: boolean;
  close(): void;
};

/**
 * Nothing is buffered for a reader: a feed only remembers the number of the next sample, so between history and what is live
 * nothing is missing and nothing is doubled, however slow the reader is.
 */
export function createFeed(view: View, want: Want, nowMs: number): Feed {
  const watch = view.watch(want.device, want.capability, want.historyMs);
  const periodMs = want.rateHz === undefined ? 0 : SECOND_MS / want.rateHz;
  let ring: Ring | undefined;
  let fields: readonly string[] = [];
  let next = 0;
  /** Samples before this number are history. */
  let liveFrom = 0;
  let lastTMs: number | undefined;
  let dueAtMs = nowMs;
  let envelope: Envelope | undefined;
  /** The newest sample that a hidden page was shown. */
  let shown = -1;
  let wasHidden = false;

  /** Follows the channel, also when the device describes itself again. */
  function follow(): Ring | undefined {
    const current = view.ring(want.device, want.capability);
    if (current === ring || !current) return current;
    const isFirst = ring === undefined;
    ring = current;
    next = isFirst ? startIn(current) : current.after(lastTMs ?? Number.NEGATIVE_INFINITY);
    liveFrom = isFirst ? current.next : next;
    const declared = view.device(want.device)?.capabilities.find(({ id }) => id === want.capability)?.fields ?? {};
    fields = want.fields ?? Object.keys(declared);
    envelope = undefined;
    shown = -1;
    return current;
  }

  function startIn(current: Ring): number {
    if (want.sinceMs !== undefined) return current.after(want.sinceMs);
    // At least the last value, however old, so that a reader has something to show at once; of a device that came later, everything.
    return Math.max(current.first, Math.min(current.next - 1, current.from(nowMs - (want.historyMs ?? 0))));
  }

  const batch = (columns: Columns, flags: { thinned: boolean; isHistory: boolean }): Fed | undefined => {
    const last = columns.tMs.at(-1);
    if (last === undefined) return undefined;
    lastTMs = last;
    return { tMs: columns.tMs, values: columns.values, fields, ...flags };
  };

  function takePiece(from: Ring, end: number): Columns {
    const max = Math.max(1, Math.floor(MAX_BATCH_VALUES / (fields.length + 1)));
    const piece = from.columns(next, Math.min(max, end - Math.max(next, from.first)), fields);
    next = Math.max(next, piece.next);
    return piece;
  }

  /** Only the newest sample of a period. */
  function takeNewest(from: Ring): Columns {
    return from.columns(from.next - 1, 1, fields);
  }

  function takeThin(from: Ring, at: number): Columns {
    const thin = envelope ?? createEnvelope(fields.length);
    envelope = thin;
    while (next < from.next) {
      const piece = takePiece(from, from.next);
      if (piece.tMs.length === 0) break;
      for (const [i, tMs] of piece.tMs.entries()) thin.add(tMs, (place) => valueAt(piece, place, i));
    }
    return thin.take(at);
  }

  function takeHidden(from: Ring, at: number): Fed | undefined {
    wasHidden = true;
    if (from.next - 1 <= shown || next >= from.next || at < dueAtMs) return undefined;
    dueAtMs = at + SECOND_MS / hiddenRateHz;
    shown = from.next - 1;
    const before = lastTMs;
    const newest = batch(takeNewest(from), { thinned: true, isHistory: false });
    lastTMs = before;
    return newest;
  }

  /** What is left of an envelope comes before anything else. */
  function takeRest(): Fed | undefined {
    const rest = envelope?.take();
    envelope = undefined;
    return rest && batch(rest, { thinned: true, isHistory: false });
  }

  function takeLive(from: Ring, { nowMs: at, isThin }: FeedState): Fed | undefined {
    if (periodMs > 0) {
      if (at < dueAtMs) return undefined;
      dueAtMs = at + periodMs;
      const thinned = from.next - next > 1;
      const newest = takeNewest(from);
      next = from.next;
      return batch(newest, { thinned, isHistory: false });
    }
    if (isThin) return batch(takeThin(from, at), { thinned: true, isHistory: false });
    return batch(takePiece(from, from.next), { thinned: false, isHistory: false });
  }

  follow();
  return {
    want,
    take(state) {
      const from = follow();
      if (!from) return undefined;
      const rest = state.isThin && !state.isHidden ? undefined : takeRest();
      if (rest) return rest;
      if (state.isHidden) return takeHidden(from, state.nowMs);
      if (wasHidden) {
        wasHidden = false;
        dueAtMs = state.nowMs;
        // The page has the newest sample of every second: all of them come again, as history.
        if (shown >= next) liveFrom = Math.max(liveFrom, from.next);
      }
      if (next < liveFrom) {
        return state.isThin ? undefined : batch(takePiece(from, liveFrom), { thinned: false, isHistory: true });
      }
      return next < from.next || envelope ? takeLive(from, state) : undefined;
    },
    get hasMore() {
      return ring !== undefined && (next < ring.next || envelope?.isEmpty === false);
    },
    close: watch.stop,
  };
}

const valueAt = ({ values }: Columns, place: number, i: number): JsonData | null => values[place]?.[i] ?? null;

/** As panels and programs get it. */
export const batchOf = ({ tMs, values, fields, thinned }: Fed): Batch => ({
  tMs,
  fields: Object.fromEntries(fields.map((name, place) => [name, values[place] ?? []])),
  thinned,
});
