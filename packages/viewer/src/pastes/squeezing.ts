import { join } from "node:path";
import type { KeyedQueue } from "@backplane/kit/concurrency";
import type { Images } from "../services.ts";
import { currentRecord } from "./change.ts";
import { dropIncoming } from "./save.ts";
import { fileAt, pairAt } from "./storage/pair.ts";
import { isUnsettled, toPaste } from "./storage/record.ts";
import { type Store, saveRecord } from "./store.ts";

/** Compresses optimized files further, one after the other, in the background. */
export type Squeezing = {
  /** After a delay, or when it is named. */
  later(id: string): void;
  soon(id: string): void;
  close(): Promise<void>;
};

export function createSqueezing(store: Store, images: Pick<Images, "squeeze">, queue: KeyedQueue): Squeezing {
  const waiting = new Set<string>();
  const timers = new Map<string, NodeJS.Timeout>();
  let working: Promise<void> | undefined;
  let isClosed = false;

  async function work(): Promise<void> {
    while (waiting.size > 0 && !isClosed) {
      // The newest first: it is the most likely to be used.
      const id = [...waiting].reduce((a, b) => (a > b ? a : b));
      waiting.delete(id);
      if (!store.index.get(id)) continue;
      await squeezeOne(id).catch((error) => {
        store.log?.warn(
          { err: error, paste: id },
          "A screenshot could not be compressed further. The next start tries again.",
        );
      });
    }
    working = undefined;
  }

  async function squeezeOne(id: string): Promise<void> {
    // A separate link, so that the screenshot can be renamed meanwhile.
    const source = join(store.folder.incoming, `${id}.squeezing.png`);
    const target = join(store.folder.incoming, `${id}.squeezed.png`);
    try {
      if (!(await queue.run(id, () => linkSource(id, source)))) return;
      const made = await images.squeeze(source, target);
      if (made) await store.disk.flushFile(target);
      await queue.run(id, () => (made ? swapIn(id, target) : markDone(id)));
    } finally {
      await dropIncoming(store, source);
      await dropIncoming(store, target);
    }
  }

  /** Undefined: the user removed or changed the file, so leave it alone. */
  async function untouched(id: string) {
    if (!store.index.get(id)) return undefined;
    const record = await currentRecord(store, id);
    const file = await fileAt(pairAt(store.folder, record).optimized);
    const { inode, bytes } = record.optimized;
    return !isUnsettled(record) && file?.inode === inode && file.bytes === bytes ? record : undefined;
  }

  async function linkSource(id: string, source: string): Promise<boolean> {
    const record = await untouched(id);
    if (record) await store.disk.link(pairAt(store.folder, record).optimized, source);
    else await markDone(id);
    return record !== undefined;
  }

  async function markDone(id: string): Promise<void> {
    if (store.index.get(id))
      await saveRecord(store, { ...(await currentRecord(store, id)), isSqueezed: true }, "later");
  }

  async function swapIn(id: string, target: string): Promise<void> {
    const [record, made] = [await untouched(id), await fileAt(target)];
    if (!record || !made) return markDone(id);
    try {
      await saveRecord(store, { ...record, squeezing: made });
      await store.disk.rename(target, pairAt(store.folder, record).optimized);
      await store.disk.flushFolder(store.folder.pairs);
    } finally {
      // Finds out which of the two files is in place, and records it.
      const after = await currentRecord(store, id).catch(() => currentRecord(store, id));
      if (after.isSqueezed) store.emit({ type: "paste", paste: toPaste(after) });
    }
  }

  function soon(id: string): void {
    clearTimeout(timers.get(id));
    timers.delete(id);
    if (isClosed || store.index.get(id)?.isSqueezed !== false) return;
    waiting.add(id);
    working ??= work();
  }

  return {
    soon,
    later(id) {
      if (isClosed) return;
      const timer = setTimeout(() => soon(id), store.limits.squeezeAfterMs);
      timer.unref();
      timers.set(id, timer);
    },
    async close() {
      isClosed = true;
      for (const timer of timers.values()) clearTimeout(timer);
      await working;
    },
  };
}
