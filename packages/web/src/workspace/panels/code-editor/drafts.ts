/** Text that was not saved when its tab was closed: there again when that is undone. */
export type Draft = { tabId: string; path: string; text: string; etag: string | undefined };

const KEY = "backplane-drafts";
const MAX_DRAFTS = 10;
const MAX_CHARACTERS = 500_000;

type Store = Pick<Storage, "getItem" | "setItem">;

/** Kept in this window only. A text that is too long, or a storage that is full or shut, keeps nothing. */
export function keepDraft(storage: Store, draft: Draft): void {
  if (draft.text.length > MAX_CHARACTERS) return;
  write(storage, [...read(storage).filter(({ tabId }) => tabId !== draft.tabId), draft].slice(-MAX_DRAFTS));
}

/** Undefined: there is none of this file in this tab. A draft is given out once. */
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
    // Full, or not allowed here: then closing a tab loses what was not saved, as everywhere.
  }
}

function isDraft(value: unknown): value is Draft {
  const { tabId, path, text } = (value ?? {}) as Partial<Record<keyof Draft, unknown>>;
  return [tabId, path, text].every((part) => typeof part === "string");
}
