import { type PackageType, type PackageVersion, STATUSES, type Status } from "@backplane/contract/registry";
import { type Tool, whyIncompatible } from "./compatibility.ts";
import { compareVersions, readVersion, type VersionNumber } from "./version-numbers.ts";

/** The installed version and its status. */
type Installed = { version: string; version_epoch?: number; status: Status };

export type Explained = {
  listed: PackageVersion;
  chosen: boolean;
  /** Why it was chosen, or why not. */
  because: string;
};

type Candidate = { listed: PackageVersion; number: VersionNumber };

/** Every version, latest first, with the reason why it is or is not the one to install. */
export function explainPreferred(versions: readonly PackageVersion[], type: PackageType, tool: Tool): Explained[] {
  const { candidates, refused } = sift(versions, type, tool);
  const stable = candidates.filter(({ listed }) => listed.status === "stable");
  const [best] = stable.length > 0 ? stable : candidates;
  return explainAll(versions, refused, best, ({ number, listed }) => {
    if (best && compareVersions(number, best.number) > 0) return `is ${listed.status}, and a stable version works`;
    return best ? `is not later than ${best.listed.version}` : "";
  });
}

/** The same for an installed package: which version to update to. */
export function explainUpdate(
  versions: readonly PackageVersion[],
  type: PackageType,
  tool: Tool,
  installed: Installed,
): Explained[] {
  const has = readVersion(installed.version, installed.version_epoch);
  const { candidates, refused } = sift(versions, type, tool);
  const isLater = ({ number }: Candidate) => has !== undefined && compareVersions(number, has) > 0;
  const isStableEnough = ({ listed }: Candidate) =>
    STATUSES.indexOf(listed.status) <= STATUSES.indexOf(installed.status);
  const best = candidates.find((candidate) => isLater(candidate) && isStableEnough(candidate));
  return explainAll(versions, refused, best, (candidate) => {
    if (!isLater(candidate)) return `is not later than ${installed.version}, which is installed`;
    if (!isStableEnough(candidate)) return `is ${candidate.listed.status}, and ${installed.status} is installed`;
    return `is not later than ${best?.listed.version}`;
  });
}

/** The version to install: the latest stable one that works here, or else the latest one that works. */
export const preferredVersion = (...given: Parameters<typeof explainPreferred>): PackageVersion | undefined =>
  explainPreferred(...given).find(({ chosen }) => chosen)?.listed;

/** The version to update to: the latest that works here, is later than the installed one and at least as stable. */
export const updateVersion = (...given: Parameters<typeof explainUpdate>): PackageVersion | undefined =>
  explainUpdate(...given).find(({ chosen }) => chosen)?.listed;

/** Versions that work here, latest first, and why the others do not. */
function sift(versions: readonly PackageVersion[], type: PackageType, tool: Tool) {
  const refused = new Map<PackageVersion, string>();
  const candidates: Candidate[] = [];
  for (const listed of versions) {
    const number = readVersion(listed.version, listed.version_epoch);
    const why = number ? whyIncompatible(listed, type, tool) : "its version cannot be read";
    if (number && why === undefined) candidates.push({ listed, number });
    else refused.set(listed, why ?? "");
  }
  candidates.sort((a, b) => compareVersions(b.number, a.number));
  return { candidates, refused };
}

function explainAll(
  versions: readonly PackageVersion[],
  refused: ReadonlyMap<PackageVersion, string>,
  best: Candidate | undefined,
  whyNot: (candidate: Candidate) => string,
): Explained[] {
  const order = (listed: PackageVersion): VersionNumber =>
    readVersion(listed.version, listed.version_epoch) ?? [-1, 0, 0, 0];
  return versions
    .toSorted((a, b) => compareVersions(order(b), order(a)))
    .map((listed) => {
      if (listed === best?.listed) return { listed, chosen: true, because: chosenBecause(listed) };
      const because = refused.get(listed) ?? whyNot({ listed, number: order(listed) });
      return { listed, chosen: false, because };
    });
}

const chosenBecause = ({ status }: PackageVersion): string => `is the latest that works here, and ${status}`;
