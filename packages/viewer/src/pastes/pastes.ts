import type { Paste, ViewerEvent } from "@backplane/contract/viewer";
import type { Clock } from "@backplane/kit/clock";
import type { Log } from "@backplane/kit/log";
import { Problem } from "@backplane/kit/problems";
import type { Images, NamingOutcome, PasteFileName, Pastes } from "../services.ts";
import { type Change, changePaste } from "./change.ts";
import { createFreeNames } from "./free-names.ts";
import { createGate } from "./gate.ts";
import { createListeners } from "./listeners.ts";
import { nameProblem } from "./name-problem.ts";
import { createOneAtATime } from "./one-at-a-time.ts";
import { recover } from "./recovery.ts";
import { createRemoved } from "./removed.ts";
import { dropIncoming, savePaste } from "./save.ts";
import { searchPastes } from "./search.ts";
import { createSqueezing } from "./squeezing.ts";
import { type Disk, realDisk } from "./storage/disk.ts";
import { diskProblem } from "./storage/disk-problem.ts";
import { makePastesFolder } from "./storage/folder.ts";
import { holdProject } from "./storage/holder.ts";
import { PASTES_LIMITS, type PastesLimits } from "./storage/limits.ts";
import { fileAt, pairAt } from "./storage/pair.ts";
import { createPasteIndex } from "./storage/paste-index.ts";
import { type Entry, toPaste } from "./storage/record.ts";
import { createRecords } from "./storage/records.ts";
import type { Store } from "./store.ts";

export type PastesOptions = {
  project: string;
  images: Images;
  now: Clock;
  random: (bytes: number) => Uint8Array;
  log?: Pick<Log, "warn">;
  limits?: Partial<PastesLimits>;
  /** A test's own. */
  disk?: Disk;
};

/** Opens the screenshots of a project, in order again whatever became of the last process. Throws HeldElsewhere. */
export async function openPastes({ project, images, now, random, log, ...options }: PastesOptions): Promise<Pastes> {
  const limits: PastesLimits = { ...PASTES_LIMITS, ...options.limits };
  const disk = options.disk ?? realDisk;
  const folder = await makePastesFolder(project);
  const giveBack = holdProject(folder, process.pid);
  const listeners = createListeners<ViewerEvent>(log);
  const records = createRecords(folder, disk, limits, log);
  const index = createPasteIndex();
  const names = createFreeNames({ ...limits, pairsFolder: folder.pairs, isUsed: index.isUsed });
  const store: Store = { folder, disk, records, index, names, now, log, limits, tell: listeners.tell };
  const removed = createRemoved(store);
  try {
    await recover(store, removed);
  } catch (error) {
    giveBack();
    throw diskProblem(error);
  }

  const line = createOneAtATime(limits.maxWaitingChanges);
  const searches = createGate(limits.searchesAtOnce, limits.maxSearchesWaiting);
  const squeezing = createSqueezing(store, images, line);
  const saves = new Set<Promise<unknown>>();
  let isClosed = false;
  for (const entry of index.newestFirst()) if (!entry.isSqueezed) squeezing.later(entry.id);

  function whileOpen(): void {
    if (isClosed) throw new Problem("not-ready", { detail: "The viewer is stopping." });
  }

  async function alone<T>(id: string, work: () => Promise<T>): Promise<T> {
    whileOpen();
    return line.alone(id, work);
  }

  async function save(upload: Parameters<Pastes["add"]>[0]): Promise<Paste> {
    let paste: Paste;
    try {
      whileOpen();
      paste = await savePaste(store, upload, await images.prepare(upload), random);
    } catch (error) {
      await dropIncoming(store, upload.path);
      throw diskProblem(error);
    }
    squeezing.later(paste.id);
    return paste;
  }

  /** Somebody deleted both files, and meant it. */
  async function forgetIfGone(id: string): Promise<void> {
    await line.alone(id, async () => {
      const entry = index.get(id);
      if (!entry) return;
      const pair = pairAt(folder, entry);
      if ((await fileAt(pair.optimized)) || (await fileAt(pair.original))) return;
      await records.remove(id);
      index.delete(id);
      listeners.tell({ type: "removed", id });
    });
  }

  async function fileOf(id: string, file: PasteFileName): Promise<string> {
    const entry = index.get(id);
    if (!entry) throw new Problem("paste-unknown");
    const path = pairAt(folder, entry)[file];
    if (await fileAt(path)) return path;
    await forgetIfGone(id);
    throw new Problem("paste-gone", { detail: `The ${file} file was deleted or replaced. Paste it again.` });
  }

  let lastRead: { entry: Entry; text: string | null } | undefined;
  const pastes: Pastes = {
    incomingFolder: folder.incoming,
    async add(upload) {
      const saving = save(upload);
      saves.add(saving);
      return saving.finally(() => saves.delete(saving));
    },
    get: (id) => mapped(index.get(id), toPaste),
    async read(id) {
      const entry = index.get(id);
      if (entry === undefined) return undefined;
      // Programs ask again and again for the newest. An entry is made anew whenever its record is.
      const known = lastRead?.entry === entry ? lastRead : { entry, text: (await records.read(id))?.text ?? null };
      lastRead = known;
      return { ...toPaste(entry), text: known.text };
    },
    list({ limit, before }) {
      const { entries, more } = index.page(Math.max(1, Math.min(limit, limits.maxListed)), before);
      return { pastes: entries.map(toPaste), more };
    },
    newest: () => mapped(index.newest(), toPaste),
    search: (query, limit) => searches.through(() => searchPastes(store, query, limit)),
    async rename(id, typed, by) {
      const base = nameProblem(typed);
      if (base instanceof Problem) throw base;
      return alone(id, () => changePaste(store, id, { facts: {}, name: { base, by } }));
    },
    async finishNaming(id, outcome) {
      const paste = await alone(id, () => changePaste(store, id, changeOf(outcome, index.get(id), now(), limits)));
      squeezing.soon(id);
      return paste;
    },
    async remove(id) {
      await alone(id, () => removed.remove(id));
      for (let old = removed.oneTooMany(); old !== undefined; old = removed.oneTooMany()) {
        const oldest = old;
        await line.alone(oldest, async () => {
          if (removed.oneTooMany() === oldest) await removed.forget(oldest);
        });
      }
    },
    async restore(id) {
      const paste = await alone(id, () => removed.restore(id));
      squeezing.later(id);
      return paste;
    },
    fileOf,
    async thumbnail(id) {
      const path = await fileOf(id, "optimized");
      try {
        return await images.thumbnail(path);
      } catch (error) {
        // It may just have been renamed.
        const pathNow = await fileOf(id, "optimized");
        if (pathNow === path) throw diskProblem(error);
        return images.thumbnail(pathNow);
      }
    },
    onChange: listeners.add,
    unnamed: () => [...index.newestFirst()].filter((entry) => entry.status === "naming").map(toPaste),
    async close() {
      if (isClosed) return;
      isClosed = true;
      await Promise.allSettled(saves);
      await squeezing.close();
      await line.idle();
      giveBack();
    },
  };
  return pastes;
}

function mapped<From, To>(value: From | undefined, map: (value: From) => To): To | undefined {
  return value === undefined ? undefined : map(value);
}

/** What is found in a picture is untrusted, and cut to size; a name that cannot be one is as good as none. */
function changeOf(
  { text, suggestions, name, by }: NamingOutcome,
  entry: { receivedAtMs: number; namedAfterMs: number | null } | undefined,
  nowMs: number,
  limits: PastesLimits,
): Change {
  const good = suggestions.map(nameProblem).filter((one) => typeof one === "string");
  const base = name === null ? undefined : nameProblem(name);
  return {
    facts: {
      ...(text === null ? {} : { text: text.slice(0, limits.maxTextCharacters) }),
      suggestions: [...new Set(good)].slice(0, limits.suggestions),
      status: "named",
      namedAfterMs: entry?.namedAfterMs ?? Math.max(0, Math.round(nowMs - (entry?.receivedAtMs ?? nowMs))),
    },
    name: typeof base === "string" && by !== null ? { base, by } : undefined,
  };
}
