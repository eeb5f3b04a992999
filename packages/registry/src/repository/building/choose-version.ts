import type { PackageVersion } from "@backplane/contract/registry";
import { compareVersions, readVersion, type VersionNumber } from "../../versions/version-number.ts";
import { byCodeUnit } from "../by-code-unit.ts";
import type { Source, SourceArchive } from "./source.ts";

/** A version as one file of the input has it. */
export type Candidate = { source: Source; version: PackageVersion; number: VersionNumber };

export type ChosenVersion = { version: PackageVersion; archive?: SourceArchive };

/** Why none of them can be believed; `others` are the files that are part of it. */
type Conflict = { rule: string; message: (others: string) => string };

/**
 * One version of all that the input has under its number: what it says of itself comes from metadata when there is
 * some, so that a status can change while an archive does not; hashes and sizes are the archive's.
 */
export function chooseVersion(same: readonly [Candidate, ...Candidate[]]): ChosenVersion | Conflict {
  const [{ version, source }] = same;
  const [archive, ...otherArchives] = same.flatMap((candidate) => candidate.source.archive ?? []);
  const listed = same.filter((candidate) => candidate.source.archive === undefined);
  const name = `${source.package.identifier} ${version.version}`;
  if (otherArchives.some(({ sha256 }) => sha256 !== archive?.sha256)) {
    return { rule: "duplicate-version", message: (others) => `${name} is also in ${others}, with other bytes.` };
  }
  if (listed.some((other) => textOf(other.version) !== textOf(version))) {
    return { rule: "duplicate-version", message: (others) => `${name} is also in ${others}, and they do not agree.` };
  }
  if (archive && listed.some((other) => (other.version.download_sha256 ?? archive.sha256) !== archive.sha256)) {
    return {
      rule: "hash-mismatch",
      message: (others) => `${name} has another download_sha256 here than in ${others}.`,
    };
  }
  if (!archive && version.download_url === undefined) {
    const message = `${name} has no download_url, and no archive of it is here. Pack it, or say where it is.`;
    return { rule: "download-url-missing", message: () => message };
  }
  return { version, ...(archive ? { archive } : {}) };
}

export function candidatesOf(source: Source): Candidate[] {
  return source.package.versions.flatMap((version) => {
    const number = readVersion(version.version, version.version_epoch);
    return number === undefined ? [] : [{ source, version, number }];
  });
}

/** Ties go to metadata, then by what is written: never by the order in which a file system lists things. */
export function laterFirst(a: Candidate, b: Candidate): number {
  const isArchive = ({ source }: Candidate) => (source.archive ? 1 : 0);
  return (
    compareVersions(b.number, a.number) ||
    isArchive(a) - isArchive(b) ||
    byCodeUnit(textOf(a.source.package), textOf(b.source.package)) ||
    byCodeUnit(a.source.archive?.place ?? "", b.source.archive?.place ?? "")
  );
}

const textOf = (value: unknown): string => JSON.stringify(value);
