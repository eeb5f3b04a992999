import type { Paste, ViewerAccess } from "@backplane/viewer";

const MOST_MISSED = 200;

/** `ended`: aborts when it keeps them no longer; whoever waits for something there has to ask anew. */
export type Reachable = { access: ViewerAccess; ended?: AbortSignal };

/** Whoever keeps the project's screenshots is looked for at each call: it may come and go while an AI client stays. */
export function reachEachTime(project: string, find: () => Promise<Reachable>): ViewerAccess {
  const reach = async (): Promise<ViewerAccess> => (await find()).access;

  async function next(signal: AbortSignal, onWaiting?: () => void): Promise<Paste> {
    const before = (await (await reach()).newest())?.id ?? "";
    for (let isFirst = true; ; isFirst = false) {
      const { access, ended } = await find();
      // What came between the two.
      const missed = isFirst ? undefined : (await access.list(MOST_MISSED)).pastes.findLast(({ id }) => id > before);
      if (missed) return missed;
      try {
        const either = ended ? AbortSignal.any([signal, ended]) : signal;
        return await access.next(either, isFirst ? onWaiting : undefined);
      } catch (error) {
        if (signal.aborted || !ended?.aborted) throw error;
      }
    }
  }

  return {
    project,
    openWidget: async (title) => (await reach()).openWidget(title),
    newest: async () => (await reach()).newest(),
    get: async (id) => (await reach()).get(id),
    list: async (limit) => (await reach()).list(limit),
    search: async (query, limit) => (await reach()).search(query, limit),
    rename: async (id, name, by) => (await reach()).rename(id, name, by),
    next,
    named: async (id, signal) => (await reach()).named(id, signal),
    readFile: async (id, file) => (await reach()).readFile(id, file),
    paste: async (image, title) => (await reach()).paste(image, title),
  };
}
