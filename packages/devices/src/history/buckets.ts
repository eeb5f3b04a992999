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
  /** Nothing more of this workspace comes for now: others may have its part. */
  leave(workspaceId: string): void;
  readonly size: number;
};

const keyOf = (series: Series, sizeS: number, atS: number): string =>
  [sizeS, atS, series.workspaceId, series.device, series.capability, series.field].join(SEPARATOR);

/** While the database is away this much is kept, and the oldest goes. */
const MAX_PENDING = 50_000;

/** What is gathered of one series in the second that it is in. */
type Gathering = { series: Series; second: TimedBucket | undefined };
type ByField = Map<string, Gathering>;
type ByCapability = Map<string, ByField>;
type ByDevice = Map<string, ByCapability>;

const within = <Value>(map: Map<string, Value>, key: string, make: () => Value): Value => {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
};

/** `oldest` goes on where it was: to look for the first key of a map takes longer with every one that was removed. */
type Kept = { all: Map<string, TimedBucket>; oldest: Iterator<string> };

function emptyKept(): Kept {
  const all = new Map<string, TimedBucket>();
  return { all, oldest: all.keys() };
}

export function createPending(): Pending {
  const bySize = new Map<BucketSize, Kept>(BUCKET_SIZES_S.map((size) => [size, emptyKept()]));
  const workspaces = new Map<string, { devices: ByDevice; count: number }>();
  /** Those whose second is not in `bySize` yet. */
  let open: Gathering[] = [];

  /** Maps in maps: to make a name of each value would cost more than all the rest. */
  const known = (workspaceId: string, { device, capability }: Sample): ByField | undefined =>
    workspaces.get(workspaceId)?.devices.get(device)?.get(capability);

  /** Undefined: the workspace has too many series. */
  function begin(workspaceId: string, { device, capability }: Sample, field: string): Gathering | undefined {
    const workspace = within(workspaces, workspaceId, () => ({ devices: new Map(), count: 0 }));
    if (workspace.count >= Math.min(MAX_SERIES, MAX_SERIES_OF_ALL / workspaces.size)) return undefined;
    workspace.count += 1;
    const ofDevice = within(workspace.devices, device, () => new Map() as ByCapability);
    const made: Gathering = { series: { workspaceId, device, capability, field }, second: undefined };
    within(ofDevice, capability, () => new Map() as ByField).set(field, made);
    return made;
  }

  /** The second of a series is over: it is part of its minute and its hour, too. */
  function closeSecond({ series, second }: Gathering): void {
    if (!second) return;
    for (const sizeS of BUCKET_SIZES_S) {
      const atS = Math.floor(second.atS / sizeS) * sizeS;
      merge(sizeS === 1 ? second : { ...second, series, sizeS, atS });
    }
  }

  function closeAll(): void {
    for (const gathering of open) {
      closeSecond(gathering);
      gathering.second = undefined;
    }
    open = [];
  }

  function merge(bucket: TimedBucket): void {
    const { all, oldest } = bySize.get(bucket.sizeS) as Kept;
    const key = keyOf(bucket.series, bucket.sizeS, bucket.atS);
    const found = all.get(key);
    if (!found) {
      if (all.size >= MAX_PENDING) all.delete(oldest.next().value as string);
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
    add(workspaceId, sample) {
      const atS = Math.floor(sample.tMs / SECOND_MS);
      const fields = known(workspaceId, sample);
      for (const field in sample.values) {
        const value = sample.values[field];
        if (typeof value !== "number" || Math.abs(value) > LARGEST) continue;
        const gathering = fields?.get(field) ?? begin(workspaceId, sample, field);
        if (!gathering) continue;
        const { second } = gathering;
        if (second?.atS === atS) {
          if (value < second.min) second.min = value;
          if (value > second.max) second.max = value;
          second.sum += value;
          second.n += 1;
          second.last = value;
          continue;
        }
        if (second) closeSecond(gathering);
        else open.push(gathering);
        const { series } = gathering;
        gathering.second = { series, sizeS: 1, atS, min: value, max: value, sum: value, n: 1, last: value };
      }
    },
    take(sizes) {
      closeAll();
      return sizes.flatMap((size) => {
        const { all } = bySize.get(size) as Kept;
        bySize.set(size, emptyKept());
        return [...all.values()];
      });
    },
    putBack(buckets) {
      // What came meanwhile is newer, so it goes on top of what is put back.
      const newer = this.take(BUCKET_SIZES_S);
      for (const bucket of [...buckets, ...newer]) merge(bucket);
    },
    leave(workspaceId) {
      closeAll();
      workspaces.delete(workspaceId);
    },
    get size() {
      closeAll();
      return bySize.values().reduce((sum, { all }) => sum + all.size, 0);
    },
  };
}
