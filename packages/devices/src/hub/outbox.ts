import { DEVICES_LIMITS, type DevicesHubMessage, type WireBatch } from "@backplane/contract/devices";
import type { Clock } from "@backplane/kit/clock";
import type { Feed } from "./feed.ts";

const { frameMs, thinAboveBytes } = DEVICES_LIMITS;
/** How often a hidden page's feeds are asked. They answer once per second. */
const HIDDEN_FRAME_MS = 250;
/**
 * With more channels in a message, there are eight per second: most of what a message costs a page is the same however much is
 * in it, and a page that shows so much draws each part of it less often.
 */
const MANY_BATCHES = 16;
const FULL_FRAME_MS = 4 * frameMs;
/** All batches of one message together. */
const MAX_FRAME_VALUES = 40_000;

/** Where a page's messages go. */
export type Wire = { readonly unsentBytes: number; send(message: DevicesHubMessage): void };

/** The values for one page: at most one message per frame, and none that wait in memory. */
export type Outbox = {
  readonly feeds: Map<number, Feed>;
  /** The next message says of every feed that what the page has of it is to be dropped. */
  reset(): void;
  /** Something may be there to send. */
  wake(): void;
  setHidden(isHidden: boolean): void;
  close(): void;
};

export function createOutbox(wire: Wire, now: Clock): Outbox {
  const feeds = new Map<number, Feed>();
  const resets = new Set<number>();
  /** The fields that the page knows of each feed. A feed has the same array until they change. */
  const told = new WeakMap<Feed, readonly string[]>();
  let isHidden = false;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let isFull = false;
  /** Which feed comes first, so that no page full of large ones starves the last. */
  let turn = 0;

  function flush(): void {
    timer = undefined;
    const isThin = wire.unsentBytes > thinAboveBytes;
    const batches: WireBatch[] = [];
    let values = 0;
    const all = [...feeds];
    for (let i = 0; i < all.length && values < MAX_FRAME_VALUES; i += 1) {
      const [id, feed] = all[(turn + i) % all.length] as [number, Feed];
      const fed = feed.take({ nowMs: now(), isThin, isHidden });
      const isReset = resets.delete(id);
      if (!fed && !isReset) continue;
      values += (fed?.tMs.length ?? 0) * ((fed?.fields.length ?? 0) + 1);
      const isTold = !fed || told.get(feed) === fed.fields;
      if (!isTold) told.set(feed, fed.fields);
      batches.push({
        ...{ c: id, t: fed?.tMs ?? [], v: fed?.values ?? [] },
        ...(isTold ? {} : { f: fed.fields }),
        ...(isReset ? { reset: true } : {}),
        ...(fed?.thinned ? { thin: true } : {}),
        ...(fed?.isHistory ? { h: true } : {}),
      });
    }
    for (const id of resets) if (!feeds.has(id)) resets.delete(id);
    turn = all.length === 0 ? 0 : (turn + 1) % all.length;
    isFull = batches.filter(({ h }) => !h).length > MANY_BATCHES;
    if (batches.length > 0) wire.send({ type: "values", nowMs: now(), batches });
    if (resets.size > 0 || feeds.values().some(({ hasMore }) => hasMore)) wake();
  }

  function wake(): void {
    if (isClosed || feeds.size === 0) return;
    timer ??= setTimeout(flush, isHidden ? HIDDEN_FRAME_MS : isFull ? FULL_FRAME_MS : frameMs);
  }

  return {
    feeds,
    wake,
    reset() {
      for (const id of feeds.keys()) resets.add(id);
      wake();
    },
    setHidden(hidden) {
      isHidden = hidden;
      clearTimeout(timer);
      timer = undefined;
      wake();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      for (const feed of feeds.values()) feed.close();
      feeds.clear();
      resets.clear();
    },
  };
}
