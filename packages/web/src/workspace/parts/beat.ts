import { flushSync } from "react-dom";

/** What panels show changes at most this often. */
const FRAME_MS = 33;
/** One beat works for at most this long: layout, layers and paint take as long again. Whoever did not have its turn has it in the next one. */
const BUDGET_MS = 6;
/** Panels take at most this part of the time, however many are open: the rest is for people and their commands. */
const MAX_SHARE = 0.33;
/** How far apart panels are that look equally often: they shall not all do so in the same frame. */
const APART_MS = 47;

/** Whoever draws: all works of one owner are done together, as one change of the page. */
type Owner = { isShown?(): boolean };
type Entry = { everyMs: number; turn: number; work: () => void };
type Group = { owner: Owner; phaseMs: number; entries: Set<Entry>; servedMs: number };

export type Beat = {
  /** Calls `work` every so often, as long as the owner is seen. Returns what ends it. */
  add(owner: Owner, everyMs: number, work: () => void): () => void;
};

type Environment = {
  nowMs(): number;
  /** Calls back before the next frame is drawn, and never while the page is hidden. */
  beforeFrame(run: () => void): void;
  /** Calls back when that frame is done. */
  afterFrame(run: () => void): void;
  later(run: () => void, ms: number): void;
  /** Carries out what was changed at once. */
  together(run: () => void): void;
  onFault(error: unknown): void;
};

/**
 * The one clock by which panels change what they show. Each with timers of its own would lay out and draw the whole page
 * for every number; so it is done for all of them together, and less often when it takes long.
 */
export function createBeat(environment: Environment): Beat {
  const { nowMs, beforeFrame, afterFrame, later, together, onFault } = environment;
  const groups = new Map<Owner, Group>();
  let isRunning = false;
  let made = 0;

  const turnAt = ({ everyMs }: Entry, { phaseMs }: Group, atMs: number) => Math.floor((atMs + phaseMs) / everyMs);

  function serve(group: Group, atMs: number): void {
    const due = [...group.entries].filter((entry) => turnAt(entry, group, atMs) !== entry.turn);
    if (due.length === 0) return;
    group.servedMs = atMs;
    try {
      together(() => {
        for (const entry of due) {
          entry.turn = turnAt(entry, group, atMs);
          entry.work();
        }
      });
    } catch (error) {
      onFault(error);
    }
  }

  function beat(): void {
    const startMs = nowMs();
    const inTurn = [...groups.values()].sort((a, b) => a.servedMs - b.servedMs);
    for (const group of inTurn) {
      if (nowMs() - startMs > BUDGET_MS) break;
      if (group.owner.isShown?.() !== false) serve(group, startMs);
    }
    afterFrame(() => {
      const tookMs = nowMs() - startMs;
      isRunning = groups.size > 0;
      if (isRunning) later(() => beforeFrame(beat), Math.max(FRAME_MS, tookMs / MAX_SHARE) - tookMs);
    });
  }

  return {
    add(owner, everyMs, work) {
      let group = groups.get(owner);
      if (!group) {
        made += 1;
        group = { owner, phaseMs: made * APART_MS, entries: new Set(), servedMs: Number.NEGATIVE_INFINITY };
        groups.set(owner, group);
      }
      const entry: Entry = { everyMs, turn: 0, work };
      entry.turn = turnAt(entry, group, nowMs());
      group.entries.add(entry);
      if (!isRunning) beforeFrame(beat);
      isRunning = true;
      return () => {
        const now = groups.get(owner);
        if (now?.entries.delete(entry) && now.entries.size === 0) groups.delete(owner);
      };
    },
  };
}

/** Of this page. */
export const pageBeat: Beat = createBeat({
  nowMs: () => performance.now(),
  beforeFrame: (run) => void requestAnimationFrame(run),
  afterFrame: (run) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      run();
    };
    port2.postMessage(undefined);
  },
  later: (run, ms) => void setTimeout(run, ms),
  together: flushSync,
  onFault: (error) => reportError(error),
});
