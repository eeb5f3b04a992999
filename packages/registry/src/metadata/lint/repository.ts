import type { Repository, RepositoryResource } from "@backplane/contract/registry";
import { lintAddress, lintContact, lintHash, lintStatedHash } from "./references.ts";
import type { Finding } from "./rules.ts";

const RESOURCES = ["packages", "resources", "manifests"] as const;

/** What is known in addition to the text of repository.json. */
export type RepositoryFacts = {
  /** The bytes that are served for each file. */
  files?: { readonly [name in (typeof RESOURCES)[number]]?: Uint8Array };
  /** Seconds since 1970; without it, dates in the future are not reported. */
  nowS?: number;
};

export function* lintRepositoryValue(
  repository: Repository,
  { files = {}, nowS }: RepositoryFacts,
): Generator<Finding> {
  for (const name of RESOURCES) {
    const resource = repository[name];
    if (!resource) continue;
    yield* lintAddress(`/${name}/url`, resource.url);
    yield* lintResourceHash(`/${name}/sha256`, resource, files[name]);
    yield* lintTime(`/${name}`, resource, nowS);
  }
  if (repository.maintainer) yield* lintContact("/maintainer", repository.maintainer);
}

function* lintResourceHash(pointer: string, { sha256 }: RepositoryResource, bytes?: Uint8Array): Generator<Finding> {
  if (sha256 === undefined) {
    yield { rule: "hash-missing", pointer, message: "is missing, so nobody can check the file." };
  } else if (bytes) yield* lintStatedHash(pointer, sha256, bytes);
  else yield* lintHash(pointer, sha256);
}

/** The year 5138 in seconds, but 1973 in milliseconds. */
const FIRST_MILLISECONDS = 100_000_000_000;
/** Clocks differ. */
const TOLERANCE_S = 300;

function* lintTime(pointer: string, resource: RepositoryResource, nowS?: number): Generator<Finding> {
  const { update_timestamp: stated, update_time_utc: written } = resource;
  const at = `${pointer}/update_timestamp`;
  const seconds = stated >= FIRST_MILLISECONDS ? Math.floor(stated / 1_000) : stated;
  if (seconds !== stated) {
    const message = "is in milliseconds, but clients expect seconds.";
    yield { rule: "timestamp-in-milliseconds", pointer: at, message, fix: String(seconds) };
  }
  if (stated <= 0) yield { rule: "timestamp-zero", pointer: at, message: "is not a time. Use seconds since 1970." };
  else if (nowS !== undefined && seconds > nowS + TOLERANCE_S) {
    yield {
      rule: "timestamp-in-future",
      pointer: at,
      message: "is in the future. Use the time of the last change.",
    };
  }
  const fix = utcText(seconds);
  if (written === undefined || written === fix) return;
  const hours = (Date.parse(`${written.replace(" ", "T")}Z`) / 1_000 - seconds) / 3_600;
  const message =
    Number.isInteger(hours * 4) && Math.abs(hours) <= MAX_ZONE_H
      ? `is local time, ${Math.abs(hours)} h ${hours > 0 ? "ahead of" : "behind"} UTC.`
      : "is not update_timestamp in UTC.";
  yield { rule: "time-not-utc", pointer: `${pointer}/update_time_utc`, message, fix };
}

/** No time zone is further from UTC. */
const MAX_ZONE_H = 14;

/** "2026-11-15 09:00:00" */
function utcText(seconds: number): string {
  const date = new Date(seconds * 1_000);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, 19).replace("T", " ");
}
