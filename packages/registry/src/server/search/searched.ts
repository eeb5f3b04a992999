import type { Package } from "@backplane/contract/registry";
import { fold, wordsOf } from "./fold.ts";

/** What is searched of a package. */
export type Searched = Pick<
  Package,
  "identifier" | "name" | "description" | "description_full" | "type" | "author" | "maintainer" | "tags"
>;

/** The order of the field's client: identifier, name, tag, descriptions, then people. */
const WEIGHT = { identifier: 7, name: 6, tag: 5, description: 4, descriptionFull: 3, maintainer: 2 } as const;

/** Each word of a package once, with the weight of the best field that has it. */
export function weighedWords(pkg: Searched): Map<string, number> {
  const words = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const word of wordsOf(text)) if (!words.has(word)) words.set(word, weight);
  };
  add(pkg.identifier, WEIGHT.identifier);
  add(pkg.name, WEIGHT.name);
  for (const tag of pkg.tags ?? []) add(tag, WEIGHT.tag);
  add(pkg.description, WEIGHT.description);
  add(pkg.description_full, WEIGHT.descriptionFull);
  for (const person of [pkg.maintainer, pkg.author]) if (person) add(person.name, WEIGHT.maintainer);
  return words;
}

/** How an identifier is compared with what was typed as a whole. */
export const wholeOf = (text: string): string => fold(text.trim());
