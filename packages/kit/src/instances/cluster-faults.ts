/** A platform process that uses the database. Its clock is compared with the one of the database. */
export type Instance = {
  name: string;
  bus: string;
  archives: string;
  clockOffsetMs: number;
  /** Unknown, like what follows, of a version that did not tell yet. */
  version?: string | undefined;
  startedAtMs?: number | undefined;
  /** Browsers that have a workspace open there. */
  connected?: number | undefined;
  memoryBytes?: number | undefined;
  /** The slowest answer of the database in each of the last minutes, the oldest first. */
  answersMs?: readonly (number | null)[] | undefined;
};

/** Larger differences between the clocks of two instances are reported. Sign-ins, limits and leases count in seconds. */
export const MAX_CLOCK_SKEW_MS = 2_000;

/** What is so, what that costs, and the next step. */
export type ClusterFault = { about: "bus" | "archives" | "clocks"; says: string; cost: string; fix: string };

/** All three in one line, for the log. */
export const sentenceOf = ({ says, cost, fix }: Omit<ClusterFault, "about">): string =>
  `${says}: ${cost.charAt(0).toLowerCase()}${cost.slice(1)} ${fix}`;

/** What is wrong with how the instances of one database are set up, with the next step. */
export function clusterFaults(instances: readonly Instance[]): ClusterFault[] {
  const count = instances.length;
  if (count < 2) return [];
  const faults: ClusterFault[] = [];
  const alone = instances.filter(({ bus }) => bus === "in-process").length;
  if (alone > 0) {
    faults.push({
      about: "bus",
      says: `${count} platforms use this database, ${alone} of them without Redis`,
      cost: "What happens at one does not reach the others, such as an ended session.",
      fix: "Set REDIS_URL to the same Redis for all of them.",
    });
  }
  const stores = new Set(instances.map(({ archives }) => archives)).size;
  if (stores > 1) {
    faults.push({
      about: "archives",
      says: `${count} platforms use this database, but keep archives in ${stores} places`,
      cost: "A package that was published at one cannot be downloaded at another.",
      fix: "Set ARCHIVES_URL to the same store for all of them.",
    });
  }
  const offsets = instances.map(({ clockOffsetMs }) => clockOffsetMs);
  const skewMs = Math.max(...offsets) - Math.min(...offsets);
  if (skewMs > MAX_CLOCK_SKEW_MS) {
    faults.push({
      about: "clocks",
      says: `The clocks of ${count} platforms differ by ${(skewMs / 1_000).toFixed(1)} s; at most ${MAX_CLOCK_SKEW_MS / 1_000} s is safe`,
      cost: "Sign-ins, limits and leases end too early or too late.",
      fix: "Keep their clocks right, for example with NTP.",
    });
  }
  return faults;
}

/** Platforms that are behind others in version; while an upgrade goes from one to the next, that is as it should be. */
export function behindInVersion(instances: readonly Instance[]): Omit<ClusterFault, "about"> | undefined {
  const newest = instances
    .flatMap(({ version }) => version ?? [])
    .reduce((best, one) => (one.localeCompare(best, "en", { numeric: true }) > 0 ? one : best), "");
  const behind = instances.filter(({ version }) => version !== newest);
  if (behind.length === 0 || newest === "") return undefined;
  const named = behind.map(({ name, version }) => `${name} runs ${version ?? "an older version"}`);
  return {
    says: `${named.join(", ")}, while others run ${newest}`,
    cost: "People get what is new only from those that are up to date.",
    fix: `Update ${behind.map(({ name }) => name).join(", ")} to ${newest}.`,
  };
}
