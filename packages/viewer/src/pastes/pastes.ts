import type { Paste, ViewerEvent } from "@backplane/contract/viewer";
import { createListeners, type KeyedQueue, limitConcurrency, queueByKey } from "@backplane/kit/concurrency";
import { Problem } from "@backplane/kit/problems";
import type { Images, NamingOutcome, PasteFileName, Pastes, Upload } from "../services.ts";
import { type Change, changePaste } from "./change.ts";
import { openStore, type StoreOptions } from "./open-store.ts";
import { parseName } from "./parse-name.ts";
import { forgetRemoved, oldestTooMany, removePaste, restorePaste } from "./removed.ts";
import { dropIncoming, savePaste } from "./save.ts";
import { searchPastes } from "./search.ts";
import { createSqueezing, type Squeezing } from "./squeezing.ts";
import { diskProblem } from "./storage/disk.ts";
import type { PastesLimits } from "./storage/limits.ts";
import { fileAt, pairAt } from "./storage/pair.ts";
import { type Entry, toPaste } from "./storage/record.ts";
import type { Store } from "./store.ts";

export type PastesOptions = Omit<StoreOptions, "emit"> & {
  images: Images;
  random: (bytes: number) => Uint8Array;
};

/** Opens the screenshots of a project. Throws HeldElsewhere if another process has them open. */
export async function openPastes({ images, random, ...options }: PastesOptions): Promise<Pastes> {
  const listeners = createListeners<ViewerEvent>((error) => {
    options.log?.warn({ err: error }, "A listener for screenshot changes failed.");
  });
  const { store, release } = await openStore({ ...options, emit: listeners.emit });
  const { index, limits } = store;
  const queue = queueByKey({
    maxWaiting: limits.maxWaitingChanges,
    whenFull: () => tooMany("This screenshot has many changes waiting. Try again in a moment."),
  });
  const squeezing = createSqueezing(store, images, queue);
  for (const entry of index.newestFirst()) if (!entry.isSqueezed) squeezing.later(entry.id);

  const saves = new Set<Promise<unknown>>();
  let isClosed = false;
  function refuseIfClosed(): void {
    if (isClosed) throw new Problem("not-ready", { detail: "The viewer is shutting down." });
  }

  async function save(upload: Upload): Promise<Paste> {
    let paste: Paste;
    try {
      refuseIfClosed();
      paste = await savePaste(store, upload, await images.prepare(upload), random);
    } catch (error) {
      await dropIncoming(store, upload.path);
      throw diskProblem(error);
    }
    squeezing.later(paste.id);
    return paste;
  }

  return {
    incomingFolder: store.folder.incoming,
    ...reading(store, images, queue),
    ...changing(store, queue, squeezing, refuseIfClosed),
    async add(upload) {
      const saving = save(upload);
      saves.add(saving);
      return saving.finally(() => saves.delete(saving));
    },
    onChange: listeners.add,
    async close() {
      if (isClosed) return;
      isClosed = true;
      await Promise.allSettled(saves);
      await squeezing.close();
      await queue.idle();
      release();
    },
  };
}

type Reading = Pick<Pastes, "get" | "read" | "list" | "newest" | "search" | "unnamed" | "fileOf" | "thumbnail">;

function reading(store: Store, images: Images, queue: KeyedQueue): Reading {
  const { index, records, limits } = store;
  const searchInTurn = limitConcurrency({
    atOnce: limits.searchesAtOnce,
    maxWaiting: limits.maxSearchesWaiting,
    whenFull: () => tooMany("Many searches are running. Try again in a moment."),
  });
  let lastRead: { entry: Entry; text: string | null } | undefined;
  const pasteOf = (entry: Entry | undefined): Paste | undefined => entry && toPaste(entry);

  return {
    get: (id) => pasteOf(index.get(id)),
    async read(id) {
      const entry = index.get(id);
      if (entry === undefined) return undefined;
      // Programs ask for the newest again and again. A changed record always has a new entry.
      const known = lastRead?.entry === entry ? lastRead : { entry, text: (await records.read(id))?.text ?? null };
      lastRead = known;
      return { ...toPaste(entry), text: known.text };
    },
    list({ limit, before }) {
      const { entries, more } = index.page(Math.max(1, Math.min(limit, limits.maxListed)), before);
      return { pastes: entries.map(toPaste), more };
    },
    newest: () => pasteOf(index.newest()),
    search: (query, limit) => searchInTurn(() => searchPastes(store, query, limit)),
    unnamed: () => [...index.newestFirst()].filter((entry) => entry.status === "naming").map(toPaste),
    fileOf: (id, file) => fileOf(store, queue, id, file),
    async thumbnail(id) {
      const path = await fileOf(store, queue, id, "optimized");
      try {
        return await images.thumbnail(path);
      } catch (error) {
        // It may just have been renamed.
        const pathNow = await fileOf(store, queue, id, "optimized");
        if (pathNow === path) throw diskProblem(error);
        return images.thumbnail(pathNow);
      }
    },
  };
}

async function fileOf(store: Store, queue: KeyedQueue, id: string, file: PasteFileName): Promise<string> {
  const entry = store.index.get(id);
  if (!entry) throw new Problem("paste-unknown");
  const path = pairAt(store.folder, entry)[file];
  if (await fileAt(path)) return path;
  await queue.run(id, () => forgetIfGone(store, id));
  throw new Problem("paste-gone", { detail: `The ${file} file was deleted or replaced. Paste it again.` });
}

/** When the user has deleted both files, the screenshot is forgotten. */
async function forgetIfGone({ index, folder, records, emit }: Store, id: string): Promise<void> {
  const entry = index.get(id);
  if (!entry) return;
  const pair = pairAt(folder, entry);
  if ((await fileAt(pair.optimized)) || (await fileAt(pair.original))) return;
  await records.remove(id);
  index.delete(id);
  emit({ type: "removed", id });
}

type Changing = Pick<Pastes, "rename" | "finishNaming" | "remove" | "restore">;

function changing(store: Store, queue: KeyedQueue, squeezing: Squeezing, refuseIfClosed: () => void): Changing {
  async function inTurn<T>(id: string, change: () => Promise<T>): Promise<T> {
    refuseIfClosed();
    return queue.run(id, change);
  }

  async function forgetTooMany(): Promise<void> {
    for (let old = oldestTooMany(store); old !== undefined; old = oldestTooMany(store)) {
      const oldest = old;
      await queue.run(oldest, async () => {
        if (oldestTooMany(store) === oldest) await forgetRemoved(store, oldest);
      });
    }
  }

  return {
    async rename(id, typed, by) {
      const base = parseName(typed);
      if (base instanceof Problem) throw base;
      return inTurn(id, () => changePaste(store, id, { facts: {}, name: { base, by } }));
    },
    async finishNaming(id, outcome) {
      const { index, now, limits } = store;
      const paste = await inTurn(id, () => changePaste(store, id, changeOf(outcome, index.get(id), now(), limits)));
      squeezing.soon(id);
      return paste;
    },
    async remove(id) {
      await inTurn(id, () => removePaste(store, id));
      await forgetTooMany();
    },
    async restore(id) {
      const paste = await inTurn(id, () => restorePaste(store, id));
      squeezing.later(id);
      return paste;
    },
  };
}

const tooMany = (detail: string): Problem =>
  new Problem("too-many-requests", { detail, headers: { "retry-after": "1" } });

/** Text found in a picture is untrusted and cut to size; an invalid name counts as no name. */
function changeOf(
  { text, suggestions, name, by }: NamingOutcome,
  entry: { receivedAtMs: number; namedAfterMs: number | null } | undefined,
  nowMs: number,
  limits: PastesLimits,
): Change {
  const valid = suggestions.map(parseName).filter((one) => typeof one === "string");
  const base = name === null ? undefined : parseName(name);
  return {
    facts: {
      ...(text === null ? {} : { text: text.slice(0, limits.maxTextCharacters) }),
      suggestions: [...new Set(valid)].slice(0, limits.suggestions),
      status: "named",
      namedAfterMs: entry?.namedAfterMs ?? Math.max(0, Math.round(nowMs - (entry?.receivedAtMs ?? nowMs))),
    },
    name: typeof base === "string" && by !== null ? { base, by } : undefined,
  };
}
