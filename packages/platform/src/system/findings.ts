import type { ProcessReport } from "@backplane/contract/platform";
import { type Finding, QUOTA_WARN_PERCENT, type QuotaUse } from "@backplane/contract/system";

/** What went wrong is the cause of the problem; without one, the store hangs. */
export function archivesFinding(error: unknown): Finding {
  const { cause } = error as { cause?: unknown };
  const says = cause instanceof Error ? `does not work: ${cause.message}` : "does not answer";
  return {
    ...{ check: "archives", state: "fault", says: `The store of the archives ${says}` },
    cost: "Packages can be neither published nor downloaded.",
    fix: "Start it, or correct ARCHIVES_URL and the settings that begin with S3_.",
  };
}

export function processFindings({ name, state, detail }: ProcessReport): Finding[] {
  // What keeps the platform from being ready has findings of its own.
  if (state === "running" || name === "platform") return [];
  const is = state === "unreachable" ? "does not answer on this machine" : "is not ready";
  return [
    {
      ...{ check: name, state: "warning", says: `The ${name} ${is}${detail === undefined ? "" : `: ${detail}`}` },
      cost: COSTS[name],
      fix: `If it does not come back, look into logs/${name}.log in the home folder.`,
    },
  ];
}

const COSTS: Readonly<Record<Exclude<ProcessReport["name"], "platform">, string>> = {
  gateway: "OAuth codes do not reach the applications that wait for them.",
  watchdog: "A gateway that hangs is not restarted.",
  viewer: "Screenshots cannot be pasted.",
};

const QUOTAS = {
  files: ["files and screenshots", "QUOTA_FILES"],
  archives: ["archives", "QUOTA_ARCHIVES"],
  packages: ["packages", "QUOTA_PACKAGES"],
} as const;

export function quotaFindings(quotas: readonly QuotaUse[]): Finding[] {
  const full = quotas.filter(({ used, max }) => used * 100 >= max * QUOTA_WARN_PERCENT);
  if (full.length === 0) return [];
  const named = full.map(
    ({ owner, of, used, max }) => `${owner}: ${QUOTAS[of][0]} ${Math.floor((100 * used) / max)} %`,
  );
  const settings = [...new Set(full.map(({ of }) => QUOTAS[of][1]))];
  return [
    {
      ...{ check: "quotas", state: "warning", says: `Nearly full quotas: ${named.join(", ")}` },
      cost: "At 100 % these owners cannot save or publish any more.",
      fix: `Ask them to delete something, or raise ${settings.join(" and ")}.`,
    },
  ];
}
