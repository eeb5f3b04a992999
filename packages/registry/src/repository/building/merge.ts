import type { Package, PackageVersion } from "@backplane/contract/registry";
import type { Note } from "../../metadata/read.ts";
import { byCodeUnit } from "../../values.ts";
import { compareVersions, readVersion, type VersionNumber } from "../../versions/version-numbers.ts";
import { faultOf, type Source, type SourceArchive } from "./inputs.ts";

/** One package, merged from everything that the input says about it; the latest version comes first. */
export type Merged = { package: Package; versions: ChosenVersion[] };

/**
 * Archives and metadata of one identifier become one package. Its description comes from the file with the latest
 * version; metadata wins over an archive. The order of the input does not matter.
 */
export function mergeSources(sources: readonly Source[]): { merged: Merged[]; faults: Note[] } {
  const faults: Note[] = [];
  const refuse = (conflicting: readonly Source[], rule: string, message: (others: string) => string) => {
    for (const source of new Set(conflicting)) {
      const others = new Set(conflicting.filter((other) => other !== source).map(({ file }) => file));
      faults.push(faultOf(source.file, rule, message([...others].sort(byCodeUnit).join(", "))));
    }
  };

  const merged: Merged[] = [];
  for (const sharing of groupsOf(sources, ({ package: { identifier } }) => identifier.toLowerCase())) {
    const [{ package: one }] = sharing;
    if (sharing.some((source) => source.package.identifier !== one.identifier)) {
      refuse(sharing, "identifier-case", (others) => `The identifier differs only in case from the one in ${others}.`);
      continue;
    }
    const candidates = sharing.flatMap(candidatesOf).sort(laterFirst);
    const versions: ChosenVersion[] = [];
    for (const same of groupsOf(candidates, ({ number }) => number.join("."))) {
      const chosen = chooseVersion(same);
      if ("version" in chosen) versions.push(chosen);
      else
        refuse(
          same.map(({ source }) => source),
          chosen.rule,
          chosen.message,
        );
    }
    // If all versions had conflicts, the package is left out; if it lists none, it is withdrawn and stays.
    if (versions.length > 0 || candidates.length === 0)
      merged.push({ package: latestOf(sharing, candidates), versions });
  }
  merged.sort((a, b) => byCodeUnit(a.package.identifier, b.package.identifier));
  return { merged, faults };
}

function latestOf(sharing: readonly [Source, ...Source[]], [latest]: readonly Candidate[]): Package {
  if (latest) return latest.source.package;
  const written = sharing.map(({ package: listed }) => ({ listed, text: JSON.stringify(listed) }));
  return written.reduce((a, b) => (byCodeUnit(a.text, b.text) <= 0 ? a : b)).listed;
}

function groupsOf<T>(items: readonly T[], keyOf: (item: T) => string): [T, ...T[]][] {
  return [...Map.groupBy(items, keyOf).values()] as [T, ...T[]][];
}

/** A version as one input file describes it. */
type Candidate = { source: Source; version: PackageVersion; number: VersionNumber };

export type ChosenVersion = { version: PackageVersion; archive?: SourceArchive };

/** Why none of them can be used; `others` are the other files involved. */
type Conflict = { rule: string; message: (others: string) => string };

/**
 * Merges everything that the input says about one version. Metadata files win over the metadata inside archives, so
 * that a status can change while the archive does not; hashes and sizes are the archive's.
 */
function chooseVersion(same: readonly [Candidate, ...Candidate[]]): ChosenVersion | Conflict {
  const [{ version, source }] = same;
  const [archive, ...otherArchives] = same.flatMap((candidate) => candidate.source.archive ?? []);
  const listed = same.filter((candidate) => candidate.source.archive === undefined);
  const name = `${source.package.identifier} ${version.version}`;
  if (otherArchives.some(({ sha256 }) => sha256 !== archive?.sha256)) {
    return { rule: "duplicate-version", message: (others) => `${name} is also in ${others}, with different content.` };
  }
  if (listed.some((other) => textOf(other.version) !== textOf(version))) {
    return { rule: "duplicate-version", message: (others) => `${name} is also in ${others}, and they disagree.` };
  }
  if (archive && listed.some((other) => (other.version.download_sha256 ?? archive.sha256) !== archive.sha256)) {
    return {
      rule: "hash-mismatch",
      message: (others) => `${name} has a different download_sha256 than in ${others}.`,
    };
  }
  if (!archive && version.download_url === undefined) {
    const message = `${name} has no download_url, and there is no archive of it. Pack it, or add its address.`;
    return { rule: "download-url-missing", message: () => message };
  }
  return { version, ...(archive ? { archive } : {}) };
}

function candidatesOf(source: Source): Candidate[] {
  return source.package.versions.flatMap((version) => {
    const number = readVersion(version.version, version.version_epoch);
    return number === undefined ? [] : [{ source, version, number }];
  });
}

/** Metadata first, then by content; never by the order in which a file system lists files. */
function laterFirst(a: Candidate, b: Candidate): number {
  const isArchive = ({ source }: Candidate) => (source.archive ? 1 : 0);
  return (
    compareVersions(b.number, a.number) ||
    isArchive(a) - isArchive(b) ||
    byCodeUnit(textOf(a.source.package), textOf(b.source.package)) ||
    byCodeUnit(a.source.archive?.place ?? "", b.source.archive?.place ?? "")
  );
}

const textOf = (value: unknown): string => JSON.stringify(value);
