import type { Sample } from "@backplane/contract/devices";

export const BUCKET_SIZES_S = [1, 60, 3_600] as const;
export type BucketSize = (typeof BUCKET_SIZES_S)[number];

const SECOND_MS = 1_000;
/** Of one workspace: one number of one capability each. */
const MAX_SERIES = 5_000;
/** Sums of larger ones would leave the range of numbers, which PostgreSQL refuses. */
const LARGEST = 1e150;
const SEPARATOR = "/";

export type Bucket = { min: number; max: number; sum: number; n: number; last: number };
export type Series = { workspaceId: string; device: string; capability: string; field: string };
export type TimedBucket = Bucket & { series: Series; sizeS: BucketSize; atS: number };

/** Buckets that are not written yet, as what is to be added to those that are. */
export type Pending = {
  add(workspaceId: string, sample: Sample): void;
  /** Takes what has been gathered for buckets of these sizes. */
  take(sizes: readonly BucketSize[]): TimedBucket[];
  /** Adds what could not be written. */
  putBack(buckets: readonly TimedBucket[]): void;
  readonly size: number;
};

const keyOf = (series: Series, sizeS: number, atS: number): string =>
  [sizeS, atS, series.workspaceId, series.device, series.capability, series.field].join(SEPARATOR);

/** While the database is away this much is kept, and the oldest goes. */
const MAX_PENDING = 50_000;

export function createPending(): Pending {
  const bySize = new Map<BucketSize, Map<string, TimedBucket>>(BUCKET_SIZES_S.map((size) => [size, new Map()]));
  const counts = new Map<string, Set<string>>();

  /** False: the workspace has too many series. */
  function isCounted({ workspaceId, device, capability, field }: Series): boolean {
    const known = counts.get(workspaceId) ?? new Set();
    counts.set(workspaceId, known);
    const name = [device, capability, field].join(SEPARATOR);
    if (!known.has(name) && known.size >= MAX_SERIES) return false;
    known.add(name);
    return true;
  }

  function merge(bucket: TimedBucket): void {
    const all = bySize.get(bucket.sizeS) as Map<string, TimedBucket>;
    const key = keyOf(bucket.series, bucket.sizeS, bucket.atS);
    const found = all.get(key);
    if (!found) {
      if (all.size >= MAX_PENDING) all.delete(all.keys().next().value as string);
      all.set(key, bucket);
      return;
    }
    found.min = Math.min(found.min, bucket.min);
    found.max = Math.max(found.max, bucket.max);
    found.sum += bucket.sum;
    found.n += bucket.n;
    found.last = bucket.last;
  }

  return {
    add(workspaceId, { device, capability, tMs, values }) {
      for (const [field, value] of Object.entries(values)) {
        if (typeof value !== "number" || Math.abs(value) > LARGEST) continue;
        const series = { workspaceId, device, capability, field };
        if (!isCounted(series)) continue;
        for (const sizeS of BUCKET_SIZES_S) {
          const atS = Math.floor(tMs / SECOND_MS / sizeS) * sizeS;
          merge({ series, sizeS, atS, min: value, max: value, sum: value, n: 1, last: value });
        }
      }
    },
    take(sizes) {
      return sizes.flatMap((size) => {
        const all = bySize.get(size) as Map<string, TimedBucket>;
        bySize.set(size, new Map());
        return [...all.values()];
      });
    },
    putBack(buckets) {
      // What came meanwhile is newer, so it goes on top of what is put back.
      const newer = this.take(BUCKET_SIZES_S);
      for (const bucket of [...buckets, ...newer]) merge(bucket);
    },
    get size() {
      return bySize.values().reduce((sum, all) => sum + all.size, 0);
    },
  };
}
