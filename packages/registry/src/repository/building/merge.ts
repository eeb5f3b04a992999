import type { Package } from "@backplane/contract/registry";
import type { Note } from "../../metadata/read.ts";
import { byCodeUnit } from "../by-code-unit.ts";
import { type Candidate, type ChosenVersion, candidatesOf, chooseVersion, laterFirst } from "./choose-version.ts";
import { faultOf, type Source } from "./source.ts";

/** One package of the repository, from everything that the input says about it; later versions first. */
export type Merged = { package: Package; versions: ChosenVersion[] };

/**
 * Archives and metadata of one identifier become one package. What the package says of itself comes from whoever has
 * its latest version, from metadata where an archive has the same one. None of it depends on the order of the input.
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
      refuse(sharing, "identifier-case", (others) => `The identifier differs only in case from that of ${others}.`);
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
    // Nothing left of what was there is not the same as a package that says of itself that it is delisted.
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
