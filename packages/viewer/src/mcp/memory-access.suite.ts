import { randomBytes } from "node:crypto";
import { MAX_DIMENSION, type NamedBy, type PasteWithText, SCREENSHOTS_FOLDER } from "@backplane/contract/viewer";
import { Problem } from "@backplane/kit/problems";
import type { ViewerAccess } from "../services.ts";

/** A viewer in memory. The test decides when screenshots are named. */
export type MemoryAccess = ViewerAccess & {
  /** Adds a screenshot, as the page does. */
  add(options?: Partial<PasteWithText>, image?: Buffer): PasteWithText;
  nameIt(id: string, name: string | null, by: NamedBy | null, text?: string): void;
  /** Calls that are waiting. */
  readonly waiting: { next: number; named: number };
  /** Resolves when this many calls are waiting. */
  whenWaiting(next: number): Promise<void>;
  readonly titles: (string | undefined)[];
};

export function memoryAccess(project = "/projects/rover"): MemoryAccess {
  const pastes = new Map<string, PasteWithText>();
  const images = new Map<string, Buffer>();
  const listeners = new Set<() => void>();
  const waiting = { next: 0, named: 0 };
  const titles: (string | undefined)[] = [];
  let count = 0;
  const changed = () => {
    for (const listener of [...listeners]) listener();
  };
  const newest = () => [...pastes.values()].at(-1);

  /** Resolves as soon as `find` finds something; rejects when the signal aborts. */
  async function until<T>(kind: "next" | "named", signal: AbortSignal, find: () => T | undefined): Promise<T> {
    const found = Promise.withResolvers<T>();
    const look = () => {
      const value = find();
      if (value !== undefined) found.resolve(value);
    };
    const abort = () => found.reject(signal.reason);
    listeners.add(look);
    signal.addEventListener("abort", abort, { once: true });
    waiting[kind] += 1;
    changed();
    try {
      if (signal.aborted) abort();
      return await found.promise;
    } finally {
      waiting[kind] -= 1;
      listeners.delete(look);
      signal.removeEventListener("abort", abort);
      changed();
    }
  }

  function known(id: string): PasteWithText {
    const paste = pastes.get(id);
    if (!paste) throw new Problem("paste-unknown");
    return paste;
  }

  return {
    project,
    waiting,
    titles,
    add(options = {}, image = Buffer.from("an image")) {
      count += 1;
      const id = `20261115-101500-${String(count).padStart(3, "0")}-${randomBytes(3).toString("hex")}`;
      const name = `sp-20261115-101500-${String(count).padStart(3, "0")}`;
      const file = (suffix: string, width: number, height: number, bytes: number) => ({
        path: `${SCREENSHOTS_FOLDER}/${name}-${width}x${height}${suffix}.png`,
        width,
        height,
        bytes,
      });
      const paste: PasteWithText = {
        id,
        status: "naming",
        name,
        namedBy: null,
        suggestions: [],
        optimized: file("", 1568, 980, image.length),
        original: file("-original", 2880, 1800, image.length),
        pasted: { type: "image/png", bytes: image.length },
        pastedAt: "2026-11-15T10:15:00.000Z",
        namedAfterMs: null,
        title: null,
        instance: null,
        text: null,
        ...options,
      };
      pastes.set(id, paste);
      images.set(id, image);
      changed();
      return paste;
    },
    nameIt(id, name, by, text) {
      const paste = known(id);
      const suggestions = name === null ? [] : [name];
      const named = { name: name ?? paste.name, namedBy: by, suggestions, text: text ?? null };
      pastes.set(id, { ...paste, ...named, status: "named", namedAfterMs: 900 });
      changed();
    },
    async whenWaiting(next) {
      const reached = Promise.withResolvers<void>();
      const look = () => {
        if (waiting.next === next) reached.resolve();
      };
      listeners.add(look);
      look();
      await reached.promise;
      listeners.delete(look);
    },
    async openWidget(title) {
      titles.push(title);
      const url = "http://localhost:8770/screenshot-paste";
      const shown = { title: title ?? "Paste a screenshot", folder: `${SCREENSHOTS_FOLDER}/` };
      return { status: "opened", url, ...shown, maxDimension: MAX_DIMENSION, workspace: "ada/rover", reason: null };
    },
    newest: async () => newest(),
    get: async (id) => pastes.get(id),
    list: async (limit) => {
      const all = [...pastes.values()].reverse();
      return { pastes: all.slice(0, limit), more: all.length > limit };
    },
    search: async () => [],
    async rename(id, name, by) {
      const renamed: PasteWithText = { ...known(id), name, namedBy: by };
      pastes.set(id, renamed);
      return renamed;
    },
    next(signal, { onWaiting } = {}) {
      const before = newest()?.id;
      const next = until("next", signal, () => (newest()?.id === before ? undefined : newest()));
      onWaiting?.();
      return next;
    },
    async named(id, signal) {
      const named = () => (known(id).status === "named" ? known(id) : undefined);
      return named() ?? (await until("named", signal, named).catch(() => known(id)));
    },
    async readFile(id) {
      known(id);
      return images.get(id) ?? Buffer.alloc(0);
    },
    async paste(image, title) {
      return this.add({ title: title ?? null, pasted: { type: "image/png", bytes: image.length } }, image);
    },
  };
}
