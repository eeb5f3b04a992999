import type { Layout } from "@backplane/contract/panels";
import { type Bus, BusFault } from "@backplane/kit/bus";
import { createListeners } from "@backplane/kit/concurrency";

export type Watcher = { listener: (layout: Layout) => void; onGone: (() => void) | undefined };

export type Watches = {
  watch(id: string, watcher: Watcher): Promise<() => Promise<void>>;
  /** After a change that was written here. */
  changed(id: string, layout: Layout): void;
  removed(id: string): void;
};

export type WatchesOptions = {
  bus: Bus;
  read: (id: string) => Promise<Layout | undefined>;
  onFault: (error: unknown) => void;
};

/** Carries the id of every workspace that was removed, for areas that keep something for workspaces. */
export const REMOVED_CHANNEL = "panels:removed";
const channelOf = (id: string): string => `panels:layout:${id}`;
/** Published instead of a revision when a workspace was removed. */
const REMOVED = -1;
/** Changes that could not be published while the bus was down; watchers of any others learn of them by the next change. */
const MAX_UNPUBLISHED = 10_000;
const READ_AGAIN_MS = 1_000;

/** Who watches workspaces on this instance: one subscription per workspace and one read per change, for all watchers. */
export function createWatches({ bus, read, onFault }: WatchesOptions): Watches {
  const all = new Map<string, Watched>();
  const unpublished = new Map<string, number>();

  async function publish(id: string, revision: number): Promise<void> {
    try {
      await bus.publish(channelOf(id), revision);
    } catch (error) {
      // The bus itself reports, once, that it is down.
      if (!(error instanceof BusFault && error.code === "unavailable")) onFault(error);
      if (unpublished.size < MAX_UNPUBLISHED) unpublished.set(id, revision);
    }
  }

  bus.onStateChange((state) => {
    if (state !== "up") return;
    const again = [...unpublished];
    unpublished.clear();
    for (const [id, revision] of again) void publish(id, revision);
    for (const watched of all.values()) void watched.look();
  });

  function open(id: string): Watched {
    const watched = all.get(id) ?? openWatched({ read: () => read(id), onFault });
    if (!watched.subscription) watched.subscription = bus.subscribe(channelOf(id), watched.hear);
    all.set(id, watched);
    return watched;
  }

  function close(id: string, watched: Watched): boolean {
    if (watched.size() > 0 || all.get(id) !== watched) return false;
    watched.isClosed = true;
    return all.delete(id);
  }

  return {
    async watch(id, watcher) {
      const watched = open(id);
      const remove = watched.add(watcher);
      try {
        const unsubscribe = await watched.subscription;
        return async () => {
          remove();
          if (close(id, watched)) await unsubscribe?.();
        };
      } catch (error) {
        remove();
        if (all.get(id) === watched) all.delete(id);
        throw error;
      }
    },
    changed(id, layout) {
      all.get(id)?.tell(layout);
      void publish(id, layout.revision);
    },
    removed(id) {
      void publish(id, REMOVED);
      bus.publish(REMOVED_CHANNEL, id).catch(() => undefined);
    },
  };
}

/** One workspace that somebody on this instance watches. */
type Watched = {
  add(watcher: Watcher): () => void;
  size(): number;
  tell(layout: Layout): void;
  /** A message of the bus: the newest revision, or REMOVED. */
  hear(revision: unknown): void;
  /** Reads the layout until it is at the newest revision that was heard of. */
  look(): Promise<void>;
  subscription: Promise<() => Promise<void>> | undefined;
  isClosed: boolean;
};

function openWatched({
  read,
  onFault,
}: {
  read: () => Promise<Layout | undefined>;
  onFault: (error: unknown) => void;
}) {
  const layouts = createListeners<Layout>(onFault);
  const ends = createListeners(onFault);
  /** The newest revision that the watchers know, and the newest that exists. */
  let [told, heard] = [0, 0];
  let isReading = false;

  const watched: Watched = {
    subscription: undefined,
    isClosed: false,
    size: () => layouts.size,
    add({ listener, onGone }) {
      const removes = [layouts.add(listener), ...(onGone ? [ends.add(onGone)] : [])];
      return () => {
        for (const remove of removes) remove();
      };
    },
    tell(layout) {
      // Changes overtake each other on their way here.
      if (layout.revision <= told) return;
      told = layout.revision;
      layouts.emit(layout);
    },
    hear(revision) {
      if (typeof revision !== "number") return;
      if (revision === REMOVED) return ends.emit();
      heard = Math.max(heard, revision);
      if (heard > told) void watched.look();
    },
    async look() {
      if (isReading) return;
      isReading = true;
      try {
        for (let isNewer = true; isNewer; ) {
          const before = heard;
          const layout = await read();
          if (!layout) return ends.emit();
          watched.tell(layout);
          isNewer = heard > before && heard > told;
        }
      } catch (error) {
        onFault(error);
        setTimeout(() => watched.isClosed || void watched.look(), READ_AGAIN_MS).unref();
      } finally {
        isReading = false;
      }
    },
  };
  return watched;
}
