import type { Sample } from "@backplane/contract/devices";

export const BUCKET_SIZES_S = [1, 60, 3_600] as const;
export type BucketSize = (typeof BUCKET_SIZES_S)[number];

const SECOND_MS = 1_000;
/** Of one workspace: one number of one capability each. */
const MAX_SERIES = 5_000;
/** Of all workspaces: with more of them, each that comes gets an equal part. */
const MAX_SERIES_OF_ALL = 20_000;
/** Sums of larger ones would leave the range of numbers, which PostgreSQL refuses. */
const LARGEST = 1e150;

export type Bucket = { min: number; max: number; sum: number; n: number; last: number };
export type Series = { workspaceId: string; device: string; capability: string; field: string };
/** With its name, which is made once: to make one for each bucket would cost more than to write it. */
export type NamedSeries = Series & { name: string };
export type TimedBucket = Bucket & { series: NamedSeries; sizeS: BucketSize; atS: number };

/** Buckets that are not written yet, as what is to be added to those that are. */
export type Pending = {
  /** What takes the samples of a workspace. */
  of(workspaceId: string): (sample: Sample) => void;
  /** Takes what has been gathered for buckets of these sizes. Seconds from `beforeS` on are left: they may get more. */
  take(sizes: readonly BucketSize[], beforeS?: number): TimedBucket[];
  /** Adds what could not be written. */
  putBack(buckets: readonly TimedBucket[]): void;
  /** Nothing more of this workspace comes for now: others may have its part. */
  leave(workspaceId: string): void;
  readonly size: number;
};

/** While the database is away this much of each size is kept, and the oldest goes. */
const MAX_PENDING = 50_000;

/** What is gathered of one series in the second that it is in. */
type Gathering = { series: NamedSeries; second: TimedBucket | undefined };
type ByField = Map<string, Gathering>;
type ByCapability = Map<string, ByField>;
type Workspace = { id: string; devices: Map<string, ByCapability>; count: number };

export const nameOf = ({ workspaceId, device, capability, field }: Series): string =>
  [workspaceId, device, capability, field].join("/");

const within = <Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value => {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
};

/** By time, oldest first, and then by the name of the series. */
type Kept = { times: Map<number, Map<string, TimedBucket>>; count: number };

const emptyKept = (): Kept => ({ times: new Map(), count: 0 });

export function createPending(): Pending {
  const bySize = new Map<BucketSize, Kept>(BUCKET_SIZES_S.map((size) => [size, emptyKept()]));
  const workspaces = new Map<string, Workspace>();
  /** Those whose second is not in `bySize` yet. */
  let open: Gathering[] = [];

  /** Maps in maps: to make a name of each value would cost more than all the rest. Undefined: too many series. */
  function begin(workspace: Workspace, { device, capability }: Sample, field: string): Gathering | undefined {
    workspaces.set(workspace.id, workspace);
    if (workspace.count >= Math.min(MAX_SERIES, MAX_SERIES_OF_ALL / workspaces.size)) return undefined;
    workspace.count += 1;
    const series: Series = { workspaceId: workspace.id, device, capability, field };
    const made: Gathering = { series: { ...series, name: nameOf(series) }, second: undefined };
    const ofDevice = within(workspace.devices, device, () => new Map() as ByCapability);
    within(ofDevice, capability, () => new Map() as ByField).set(field, made);
    return made;
  }

  function add(workspace: Workspace, sample: Sample): void {
    const atS = Math.floor(sample.tMs / SECOND_MS);
    const fields = workspace.devices.get(sample.device)?.get(sample.capability);
    for (const field in sample.values) {
      const value = sample.values[field];
      if (typeof value !== "number" || Math.abs(value) > LARGEST) continue;
      const gathering = fields?.get(field) ?? begin(workspace, sample, field);
      if (!gathering) continue;
      const { second, series } = gathering;
      if (second?.atS === atS) {
        if (value < second.min) second.min = value;
        if (value > second.max) second.max = value;
        second.sum += value;
        second.n += 1;
        second.last = value;
        continue;
      }
      if (second) closeSecond(second);
      else open.push(gathering);
      gathering.second = { series, sizeS: 1, atS, min: value, max: value, sum: value, n: 1, last: value };
    }
  }

  /** The second of a series is over: it is part of its minute and its hour, too. */
  function closeSecond(second: TimedBucket): void {
    for (const sizeS of BUCKET_SIZES_S) merge(second, sizeS);
  }

  function close(beforeS = Number.POSITIVE_INFINITY): void {
    const isLeft = ({ second }: Gathering) => second !== undefined && second.atS >= beforeS;
    for (const gathering of open) {
      if (isLeft(gathering)) continue;
      if (gathering.second) closeSecond(gathering.second);
      gathering.second = undefined;
    }
    open = open.filter(isLeft);
  }

  /** Adds a bucket to the one of this size that it is part of. */
  function merge(bucket: TimedBucket, sizeS: BucketSize): void {
    const kept = bySize.get(sizeS) as Kept;
    const atS = Math.floor(bucket.atS / sizeS) * sizeS;
    const { name } = bucket.series;
    const found = kept.times.get(atS)?.get(name);
    if (found) {
      found.min = Math.min(found.min, bucket.min);
      found.max = Math.max(found.max, bucket.max);
      found.sum += bucket.sum;
      found.n += bucket.n;
      found.last = bucket.last;
      return;
    }
    if (kept.count >= MAX_PENDING) dropOldest(kept);
    within(kept.times, atS, () => new Map()).set(name, { ...bucket, sizeS, atS });
    kept.count += 1;
  }

  return {
    of(workspaceId) {
      const workspace = workspaces.get(workspaceId) ?? { id: workspaceId, devices: new Map(), count: 0 };
      return (sample) => add(workspace, sample);
    },
    take(sizes, beforeS) {
      close(beforeS);
      return sizes.flatMap((size) => {
        const { times } = bySize.get(size) as Kept;
        bySize.set(size, emptyKept());
        return [...times.values()].flatMap((buckets) => [...buckets.values()]);
      });
    },
    putBack(buckets) {
      // What came meanwhile is newer, so it goes on top of what is put back.
      const newer = this.take(BUCKET_SIZES_S);
      for (const bucket of [...buckets, ...newer]) merge(bucket, bucket.sizeS);
    },
    leave(workspaceId) {
      close();
      workspaces.delete(workspaceId);
    },
    get size() {
      return bySize.values().reduce((sum, { count }) => sum + count, open.length);
    },
  };
}

/** All of the oldest time: to look for the first of a map takes longer with every one that was removed. */
function dropOldest(kept: Kept): void {
  for (const [atS, buckets] of kept.times) {
    kept.times.delete(atS);
    kept.count -= buckets.size;
    return;
  }
}
