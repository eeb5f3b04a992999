import {
  type FoundPackage,
  type PackageType,
  type RegistryFacts,
  type Status,
  V1_TYPES,
} from "@backplane/contract/registry";
import type { Tone } from "../../parts/state.tsx";
import { sentenceCase } from "../../parts/words.ts";
import type { ListQuery } from "../paths.ts";
import { manyOfType, typeWords } from "../words.ts";

/** The types to choose from: the usual ones first, then the others that are listed. */
export function typeSegments(listed: readonly PackageType[]): [PackageType | undefined, string][] {
  const others = listed.filter((type) => !V1_TYPES.some((usual) => usual === type));
  return [
    [undefined, "All"],
    ["plugin", "Plugins"],
    ["library", "Libraries"],
    ["colortheme", "Themes"],
    ...others.map((type): [PackageType, string] => [type, sentenceCase(typeWords(type))]),
  ];
}

/** What is missing, then what to do. Undefined when nothing was searched: the registry is empty. */
export function emptyWords({ q, type }: ListQuery): { title: string; line: string } | undefined {
  if (q !== "") {
    const what = type ? `No ${typeWords(type)} matches` : "No package matches";
    return { title: `${what} “${q}”`, line: "Check the spelling, or search all types and versions." };
  }
  if (type) return { title: `No ${manyOfType(type)} yet`, line: "Look at the other types, too." };
  return undefined;
}

type Shown = { tone: Tone; word: string };

const fitTones = { works: "ok", "unstable-only": "warn", none: "off" } as const;
const statusTones: Record<Status, Tone> = { stable: "ok", testing: "warn", development: "warn", deprecated: "off" };

/** Whether a package works with the chosen tool; without a tool, how stable it is. */
export function stateOf({ fit, status }: Pick<FoundPackage, "fit" | "status">): Shown {
  if (fit) return { tone: fitTones[fit.state], word: fit.words };
  return status ? { tone: statusTones[status], word: sentenceCase(status) } : { tone: "off", word: "Withdrawn" };
}

export type RepositoryAddress = { label: string; address: string };

/** Display names of brands. */
const NAMES: Readonly<Record<string, string>> = { tool: "your design tool", kicad: "KiCad" };

/** The repository address for each brand; the first brand has the shortest. */
export function repositoryAddresses({
  brands,
  repository_url,
}: Pick<RegistryFacts, "brands" | "repository_url">): RepositoryAddress[] {
  const root = repository_url.replace(/\/repository\.json$/, "");
  return brands.map((brand, index) => ({
    label: `Add to ${NAMES[brand] ?? brand}`,
    address: index === 0 ? repository_url : `${root}/${brand}/repository.json`,
  }));
}
