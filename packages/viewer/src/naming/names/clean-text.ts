import { VIEWER_LIMITS } from "@backplane/contract/viewer";
import { hideSecrets } from "./secret-labels.ts";

/** Everything but line breaks that does not print, and what turns the direction of writing around. */
const UNPRINTABLE = /[^\P{C}\n]/gu;
/** Nobody reads more, and rules over it cost time. */
const MOST_READ = 4 * VIEWER_LIMITS.maxTextCharacters;

/** Recognised text as it is kept and given to programs: bounded, printable, its secrets replaced. */
export function cleanText(text: string): string {
  const printable = text.slice(0, MOST_READ).replace(/\r\n?/g, "\n").replace(UNPRINTABLE, " ").toWellFormed();
  return hideSecrets(printable.split("\n"))
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()
    .slice(0, VIEWER_LIMITS.maxTextCharacters)
    .toWellFormed();
}
