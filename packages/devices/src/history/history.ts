import { setImmediate as nextTurn } from "node:timers/promises";
import type { History, KeptHistory, Sample } from "@backplane/contract/devices";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import type { Model } from "../services.ts";
import type { DevicesTables } from "../tables.ts";
import { BUCKET_SIZES_S, type Bucket, type BucketSize, createPending } from "./buckets.ts";
import { createHistoryStore } from "./store.ts";

const SECOND_MS = 1_000;
const DAY_S = 86_400;
/** For how many days finer buckets are kept at most. */
const KEEP_DAYS = { 1: 1, 60: 30 } as const;

type KeepS = Readonly<Record<BucketSize, number>>;
const keepOf = (days: number): KeepS => ({
  1: Math.min(KEEP_DAYS[1], days) * DAY_S,
  60: Math.min(KEEP_DAYS[60], days) * DAY_S,
  3600: days * DAY_S,
});
/** How often buckets of each size are written. What is not written yet is read from memory. */
const WRITE_EVERY_S: Readonly<Record<BucketSize, number>> = { 1: 1, 60: 10, 3600: 60 };
const FORGET_EVERY_S = 60;
/** Written in one transaction: whoever else needs the database waits for it, and with SQLite everybody. */
const BUCKETS_AT_ONCE = 500;

export type Asked = {
  workspaceId: string;
  device: string;
  capability: string;
  fields: readonly string[];
  fromMs: number;
  toMs: number;
  points: number;
};

/** What devices measured, for as long as it is kept: every second for a day, every minute for a month, every hour for years. */
export type HistoryBook = {
  /** Finest first. */
  readonly kept: KeptHistory[];
  /** Writes down what the devices of a workspace measure, until the returned function is called. */
  record(workspaceId: string, model: Pick<Model, "on">): () => void;
  /** `samples`: what is still in memory of the channel, which is finer. */
  read(asked: Asked, samples: readonly Sample[]): Promise<History>;
  workspaces(limit: number): Promise<string[]>;
  removeOf(workspaceId: string): Promise<void>;
  /** Removes what is older than it is kept. */
  forget(): Promise<void>;
  /** Writes what is not written yet. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

export function openHistory({
  database,
  keepDays,
  now,
  onFault,
}: {
  database: Database<DevicesTables>;
  keepDays: number;
  now: Clock;
  onFault: (error: unknown) => void;
}): HistoryBook {
  const store = createHistoryStore(database);
  const keepS = keepOf(keepDays);
  const pending = createPending();
  let seconds = 0;
  let writing: Promise<void> = Promise.resolve();
  let isFailing = false;

  async function write(sizes: readonly BucketSize[], beforeS?: number): Promise<void> {
    const buckets = pending.take(sizes, beforeS);
    let written = 0;
    try {
      for (; written < buckets.length; written += BUCKETS_AT_ONCE) {
        await store.write(buckets.slice(written, written + BUCKETS_AT_ONCE));
        await nextTurn();
      }
      isFailing = false;
    } catch (error) {
      pending.putBack(buckets.slice(written));
      // The database itself is reported elsewhere; once is enough here.
      if (!isFailing) onFault(error);
      isFailing = true;
    }
  }

  async function forget(): Promise<void> {
    for (const size of BUCKET_SIZES_S) await store.forget(size, Math.floor(now() / SECOND_MS) - keepS[size]);
  }

  const inTurn = (work: () => Promise<void>): Promise<void> => {
    writing = writing.then(work).catch(onFault);
    return writing;
  };
  let isBusy = false;
  const timer = setInterval(() => {
    seconds += 1;
    if (isBusy || (pending.size === 0 && seconds % FORGET_EVERY_S !== 0)) return;
    isBusy = true;
    const sizes = BUCKET_SIZES_S.filter((size) => seconds % WRITE_EVERY_S[size] === 0);
    void inTurn(async () => {
      // A second that is not over would be written twice.
      await write(sizes, Math.floor(now() / SECOND_MS));
      if (seconds % FORGET_EVERY_S === 0) await forget();
    }).finally(() => {
      isBusy = false;
    });
  }, SECOND_MS).unref();

  const flush = () => inTurn(() => write(BUCKET_SIZES_S));

  return {
    kept: BUCKET_SIZES_S.map((everyS) => ({ everyS, forS: keepS[everyS] })),
    record(workspaceId, model) {
      const add = pending.of(workspaceId);
      const stop = model.on("sample", (sample) => {
        if (!sample.isRecalled) add(sample);
      });
      return () => {
        stop();
        pending.leave(workspaceId);
      };
    },
    async read(asked, samples) {
      const { fromMs, toMs, points, fields } = asked;
      const inMemory = samples.filter(({ tMs }) => tMs >= fromMs && tMs < toMs);
      const oldest = samples[0]?.tMs;
      if (oldest !== undefined && oldest <= fromMs && inMemory.length <= points) return ofSamples(inMemory, fields);
      await flush();
      const sizeS = sizeFor(asked, now(), keepS);
      const [fromS, toS] = [Math.floor(fromMs / SECOND_MS / sizeS) * sizeS, Math.ceil(toMs / SECOND_MS)];
      const all = await Promise.all(
        fields.map((field) =>
          store.read({ ...asked, field }, sizeS, fromS, toS).then((rows) => [field, rows] as const),
        ),
      );
      return ofBuckets(all, sizeS * Math.max(1, Math.ceil((toS - fromS) / sizeS / points)));
    },
    workspaces: store.workspaces,
    removeOf: (workspaceId) => store.removeOf(workspaceId),
    forget,
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}

/** The finest buckets that reach back far enough, and are not far more than was asked for. */
function sizeFor({ fromMs, toMs, points }: Asked, nowMs: number, keepS: KeepS): BucketSize {
  const MOST_PER_POINT = 60;
  const fits = BUCKET_SIZES_S.find((size) => {
    const isKept = fromMs / SECOND_MS >= nowMs / SECOND_MS - keepS[size];
    return isKept && (toMs - fromMs) / SECOND_MS / size <= points * MOST_PER_POINT;
  });
  return fits ?? 3_600;
}

const emptyColumns = (): History["fields"][string] => ({ min: [], max: [], mean: [], last: [] });

function ofSamples(samples: readonly Sample[], fields: readonly string[]): History {
  const history: History = { sizeMs: 0, tMs: samples.map(({ tMs }) => tMs), fields: {} };
  for (const field of fields) {
    const values = samples.map(({ values: { [field]: value } }) => (typeof value === "number" ? value : null));
    history.fields[field] = { min: values, max: values, mean: values, last: values };
  }
  return history;
}

/** Buckets side by side; several of them are one point when there are many. */
function ofBuckets(all: readonly (readonly [string, readonly (Bucket & { atS: number })[]])[], sizeS: number): History {
  const byTime = new Map<number, Map<string, Bucket>>();
  for (const [field, rows] of all) {
    for (const { atS, ...bucket } of rows) {
      const at = Math.floor(atS / sizeS) * sizeS;
      const point = byTime.get(at) ?? new Map<string, Bucket>();
      byTime.set(at, point);
      const before = point.get(field);
      point.set(field, before ? merged(before, bucket) : bucket);
    }
  }
  const times = [...byTime.keys()].sort((a, b) => a - b);
  const history: History = { sizeMs: sizeS * SECOND_MS, tMs: times.map((atS) => atS * SECOND_MS), fields: {} };
  for (const [field] of all) {
    const columns = emptyColumns();
    for (const atS of times) {
      const bucket = byTime.get(atS)?.get(field);
      columns.min.push(bucket?.min ?? null);
      columns.max.push(bucket?.max ?? null);
      columns.mean.push(bucket ? bucket.sum / bucket.n : null);
      columns.last.push(bucket?.last ?? null);
    }
    history.fields[field] = columns;
  }
  return history;
}

const merged = (one: Bucket, next: Bucket): Bucket => ({
  ...{ min: Math.min(one.min, next.min), max: Math.max(one.max, next.max) },
  ...{ sum: one.sum + next.sum, n: one.n + next.n, last: next.last },
});
