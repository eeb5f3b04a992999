/** What was typed before, and how far back one looks: `at` is counted from the newest, -1 being what is typed now. */
export type CodeHistory = { readonly entries: readonly string[]; readonly at: number; readonly draft: string };

export const MAX_ENTRIES = 100;
export const NO_HISTORY: CodeHistory = { entries: [], at: -1, draft: "" };

export function remember({ entries }: CodeHistory, code: string): CodeHistory {
  const rest = entries[0] === code ? entries.slice(1) : entries;
  return { entries: [code, ...rest].slice(0, MAX_ENTRIES), at: -1, draft: "" };
}

/** Undefined: there is nothing further that way. */
export function look(
  history: CodeHistory,
  way: "older" | "newer",
  typed: string,
): { history: CodeHistory; text: string } | undefined {
  const at = history.at + (way === "older" ? 1 : -1);
  const draft = history.at === -1 ? typed : history.draft;
  const text = at === -1 ? draft : history.entries[at];
  if (at < -1 || text === undefined) return undefined;
  return { history: { ...history, at, draft }, text };
}
