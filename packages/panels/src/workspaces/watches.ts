import type { Layout } from "@backplane/contract/panels";
import { type Bus, BusFault } from "@backplane/kit/bus";

export type Watcher = { listener: (layout: Layout) => void; onGone: (() => void) | undefined };

/** Everybody on this instance who looks at one workspace. */
type Watched = {
  watchers: Set<Watcher>;
  /** The newest revision that they were told of. */
  told: number;
  /** The newest that is known to be. */
  heard: number;
  isReading: boolean;
  subscription: Promise<() => Promise<void>>;
};

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

const channelOf = (id: string): string => `panels:layout:${id}`;
/** What is told of a workspace that was removed. */
const REMOVED = -1;
/** Changes that could not be told while the bus was away; beyond these, whoever looks learns of it by the next change. */
const MAX_UNTOLD = 10_000;
const READ_AGAIN_MS = 1_000;

/** Who looks at workspaces on this instance. One subscription a workspace, and one read a change, for all who do. */
export function createWatches({ bus, read, onFault }: WatchesOptions): Watches {
  const all = new Map<string, Watched>();
  const untold = new Map<string, number>();

  function tell(id: string, layout: Layout): void {
    const watched = all.get(id);
    // Changes overtake each other on their way here; what is older than what was told is no news.
    if (!watched || layout.revision <= watched.told) return;
    watched.told = layout.revision;
    for (const { listener } of [...watched.watchers]) guard(() => listener(layout));
  }

  function end(id: string): void {
    for (const { onGone } of [...(all.get(id)?.watchers ?? [])]) if (onGone) guard(onGone);
  }

  function guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      onFault(error);
    }
  }

  async function look(id: string, watched: Watched): Promise<void> {
    if (watched.isReading) return;
    watched.isReading = true;
    try {
      for (let isNewer = true; isNewer; ) {
        const { heard } = watched;
        const layout = await read(id);
        if (!layout) return end(id);
        tell(id, layout);
        isNewer = watched.heard > heard && watched.heard > watched.told;
      }
    } catch (error) {
      onFault(error);
      setTimeout(() => all.get(id) === watched && void look(id, watched), READ_AGAIN_MS).unref();
    } finally {
      watched.isReading = false;
    }
  }

  function hear(id: string, revision: unknown): void {
    const watched = all.get(id);
    if (!watched || typeof revision !== "number") return;
    if (revision === REMOVED) {
      end(id);
      return;
    }
    watched.heard = Math.max(watched.heard, revision);
    if (watched.heard > watched.told) void look(id, watched);
  }

  async function publish(id: string, revision: number): Promise<void> {
    try {
      await bus.publish(channelOf(id), revision);
    } catch (error) {
      // That the bus is away it says itself, once.
      if (!(error instanceof BusFault && error.code === "unavailable")) onFault(error);
      if (untold.size < MAX_UNTOLD) untold.set(id, revision);
    }
  }

  bus.onStateChange((state) => {
    if (state !== "up") return;
    const again = [...untold];
    untold.clear();
    for (const [id, revision] of again) void publish(id, revision);
    for (const [id, watched] of all) void look(id, watched);
  });

  function begin(id: string): Watched {
    const found = all.get(id);
    if (found) return found;
    const watched: Watched = {
      ...{ watchers: new Set(), told: 0, heard: 0, isReading: false },
      subscription: bus.subscribe(channelOf(id), (revision) => hear(id, revision)),
    };
    all.set(id, watched);
    return watched;
  }

  async function leave(id: string, watched: Watched, watcher: Watcher): Promise<void> {
    watched.watchers.delete(watcher);
    if (watched.watchers.size > 0 || all.get(id) !== watched) return;
    all.delete(id);
    const unsubscribe = await watched.subscription;
    await unsubscribe();
  }

  return {
    async watch(id, watcher) {
      const watched = begin(id);
      // Of its own: the same functions may look twice.
      const own = { ...watcher };
      watched.watchers.add(own);
      try {
        await watched.subscription;
      } catch (error) {
        watched.watchers.delete(own);
        if (all.get(id) === watched) all.delete(id);
        throw error;
      }
      return () => leave(id, watched, own);
    },
    changed(id, layout) {
      tell(id, layout);
      void publish(id, layout.revision);
    },
    removed(id) {
      void publish(id, REMOVED);
    },
  };
}
