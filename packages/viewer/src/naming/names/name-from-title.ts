import { VIEWER_LIMITS } from "@backplane/contract/viewer";
import { HIDDEN, hideSecrets } from "./secret-labels.ts";
import { looksSecret } from "./secrets.ts";

/** Would be read as an automatic name. */
const FIRST_NAME = /^sp-(?=\d)/;

/** What a program says of a picture, as a name without anything that looks like a secret. Undefined: nothing is left. */
export function nameFromTitle(title: string): string | undefined {
  const [shown = ""] = hideSecrets([title]);
  const words = shown
    .replaceAll(HIDDEN, " ")
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .split(/\s+/)
    .filter((word) => !looksSecret(word))
    .flatMap((word) => word.toLowerCase().split(/[^a-z0-9]+/))
    .filter((word) => word !== "" && !looksSecret(word));
  while (words.join("-").length > VIEWER_LIMITS.maxNameCharacters) words.pop();
  return words.join("-").replace(FIRST_NAME, "") || undefined;
}
