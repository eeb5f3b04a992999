import { VIEWER_LIMITS } from "@backplane/contract/viewer";
import type { NamingOutcome } from "../services.ts";

/** Naming ends without a name: the first one stays. */
export const NO_NAME: NamingOutcome = { text: null, suggestions: [], name: null, by: null };

/** The model's name before those of the text; each once, three at most. */
export function outcomeOf(text: string | null, modelName: string | undefined, fromText: string[]): NamingOutcome {
  const ranked = modelName === undefined ? fromText : [modelName, ...fromText];
  const suggestions = [...new Set(ranked)].slice(0, VIEWER_LIMITS.suggestions);
  const [name = null] = suggestions;
  const by = name === null ? null : modelName === undefined ? "text" : "model";
  return { text, suggestions, name, by };
}
