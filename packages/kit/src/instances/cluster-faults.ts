/** A platform process that uses the database. Its clock is compared with the one of the database. */
export type Instance = { name: string; bus: string; archives: string; clockOffsetMs: number };

/** Larger differences between the clocks of two instances are reported. Sign-ins, limits and leases count in seconds. */
export const MAX_CLOCK_SKEW_MS = 2_000;

export type ClusterFault = { about: "bus" | "archives" | "clocks"; sentence: string };

/** What is wrong with how the instances of one database are set up, with the next step. */
export function clusterFaults(instances: readonly Instance[]): ClusterFault[] {
  const count = instances.length;
  if (count < 2) return [];
  const faults: ClusterFault[] = [];
  const alone = instances.filter(({ bus }) => bus === "in-process").length;
  if (alone > 0) {
    faults.push({
      about: "bus",
      sentence: `${count} platforms use this database, ${alone} of them without Redis: what happens at one does not reach the others, such as an ended session. Set REDIS_URL to the same Redis for all of them.`,
    });
  }
  const stores = new Set(instances.map(({ archives }) => archives)).size;
  if (stores > 1) {
    faults.push({
      about: "archives",
      sentence: `${count} platforms use this database, but keep archives in ${stores} places: a package that was published at one cannot be downloaded at another. Set ARCHIVES_URL to the same store for all of them.`,
    });
  }
  const offsets = instances.map(({ clockOffsetMs }) => clockOffsetMs);
  const skewMs = Math.max(...offsets) - Math.min(...offsets);
  if (skewMs > MAX_CLOCK_SKEW_MS) {
    faults.push({
      about: "clocks",
      sentence: `The clocks of ${count} platforms differ by ${(skewMs / 1_000).toFixed(1)} s; at most ${MAX_CLOCK_SKEW_MS / 1_000} s is safe. Keep their clocks right, for example with NTP.`,
    });
  }
  return faults;
}
