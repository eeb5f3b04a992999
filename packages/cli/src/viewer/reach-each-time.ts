import type { ViewerAccess } from "@backplane/viewer";

/** Whoever keeps the project's screenshots is looked for at each call: it may come and go while an AI client stays. */
export const reachEachTime = (project: string, reach: () => Promise<ViewerAccess>): ViewerAccess => ({
  project,
  openWidget: async (title) => (await reach()).openWidget(title),
  newest: async () => (await reach()).newest(),
  get: async (id) => (await reach()).get(id),
  list: async (limit) => (await reach()).list(limit),
  search: async (query, limit) => (await reach()).search(query, limit),
  rename: async (id, name, by) => (await reach()).rename(id, name, by),
  next: async (signal) => (await reach()).next(signal),
  named: async (id, signal) => (await reach()).named(id, signal),
  readFile: async (id, file) => (await reach()).readFile(id, file),
  paste: async (image, title) => (await reach()).paste(image, title),
});
