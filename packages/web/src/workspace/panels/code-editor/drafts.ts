/** Unsaved text of a closed tab. It comes back when the closing is undone. */
export type Draft = { tabId: string; path: string; text: string; etag: string | undefined };

const KEY = "backplane-drafts";
const MAX_DRAFTS = 10;
const MAX_CHARACTERS = 500_000;

type Store = Pick<Storage, "getItem" | "setItem">;

/** Keeps a draft in this window. A text that is too long is not kept, and neither is one that the storage refuses. */
export function keepDraft(storage: Store, draft: Draft): void {
  if (draft.text.length > MAX_CHARACTERS) return;
  const isOther = ({ tabId, path }: Draft) => tabId !== draft.tabId || path !== draft.path;
  write(storage, [...read(storage).filter(isOther), draft].slice(-MAX_DRAFTS));
}

/** The draft of this file in this tab, if there is one. It is returned only once. */
export function takeDraft(storage: Store, tabId: string, path: string): Draft | undefined {
  const all = read(storage);
  const found = all.find((draft) => draft.tabId === tabId && draft.path === path);
  if (found)
    write(
      storage,
      all.filter((draft) => draft !== found),
    );
  return found;
}

function read(storage: Store): Draft[] {
  try {
    const all: unknown = JSON.parse(storage.getItem(KEY) ?? "[]");
    return Array.isArray(all) ? all.filter(isDraft) : [];
  } catch {
    return [];
  }
}

function write(storage: Store, drafts: readonly Draft[]): void {
  try {
    storage.setItem(KEY, JSON.stringify(drafts));
  } catch {
    // Full or not allowed: closing a tab then loses unsaved text, as in other programs.
  }
}

function isDraft(value: unknown): value is Draft {
  const { tabId, path, text } = (value ?? {}) as Partial<Record<keyof Draft, unknown>>;
  return [tabId, path, text].every((part) => typeof part === "string");
}
