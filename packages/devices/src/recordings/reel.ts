import { setImmediate as turn } from "node:timers/promises";
import { DEVICES_LIMITS, type DeviceLine } from "@backplane/contract/devices";
import type { RecordedEvent, RecordingSource } from "./source.ts";
import type { Tracks } from "./tracks.ts";

const { keptMs } = DEVICES_LIMITS;
/** Of every channel that much is read at once; only of one that had nothing to say in that time, all that is kept. */
const MIN_PAST_MS = 60_000;
const MAX_LINES = 1_000;
/** Events that are taken before others get their turn. */
const EVENTS_PER_TURN = 1_000;

/** How far a recording was read. Only channels that somebody watches are. */
export type Reel = {
  /** Everything until here is in the tracks. */
  readonly playedMs: number;
  /** Whether all channels that are watched now are read. */
  isLoaded(): boolean;
  /** The last lines that were said. */
  lines(): readonly DeviceLine[];
  /** Reads what came before, for channels that are new here. False: there are none, or it was broken off. */
  load(): Promise<boolean>;
  /** Reads on. Returns how much there was. */
  play(untilMs: number, onLine: (line: DeviceLine) => void): Promise<number>;
  /** It is somewhere else, and nothing is read yet. Close what is being read first. */
  rewind(atMs: number): void;
  /** Ends what is being read; it can go on. */
  close(): Promise<void>;
};

type Options = {
  source: RecordingSource;
  tracks: Tracks;
  /** Nobody needs what is being read any more. */
  isBroken: () => boolean;
  atMs: number;
};

export function openReel({ source, tracks, isBroken, atMs }: Options): Reel {
  const said = createSaid();
  let playedMs = atMs;
  let events: Events | undefined;

  function take(event: RecordedEvent): void {
    if ("line" in event) said.add(event.line);
    else tracks.append(event.sample);
  }

  async function close(): Promise<void> {
    await events?.close();
    events = undefined;
  }

  return {
    get playedMs() {
      return playedMs;
    },
    isLoaded: () => said.isLoaded && tracks.fresh().length === 0,
    lines: said.lines,
    async load() {
      const channels = tracks.fresh();
      if (channels.length === 0 && said.isLoaded) return false;
      await close();
      tracks.begin(channels);
      const read = async (wanted: Parameters<RecordingSource["read"]>[0], fromMs: number, toMs: number) => {
        const past = openEvents(source.read(wanted, fromMs, toMs));
        await past.takeUntil(toMs, take, isBroken);
        await past.close();
      };
      if (!said.isLoaded) await read({ channels: [], lines: true }, playedMs - keptMs, playedMs);
      const byPast = Map.groupBy(channels, ({ pastMs }) => Math.min(keptMs, Math.max(MIN_PAST_MS, pastMs)));
      for (const [pastMs, some] of byPast) await read({ channels: some, lines: false }, playedMs - pastMs, playedMs);
      const silent = tracks.empty();
      if (silent.length > 0) await read({ channels: silent, lines: false }, playedMs - keptMs, playedMs);
      tracks.finish(!isBroken());
      if (isBroken()) return false;
      said.isLoaded = true;
      return true;
    },
    async play(untilMs, onLine) {
      events ??= openEvents(source.read({ channels: tracks.loaded(), lines: true }, playedMs, source.endMs));
      const taken = await events.takeUntil(
        untilMs,
        (event) => {
          take(event);
          if ("line" in event) onLine(event.line);
        },
        isBroken,
      );
      if (!isBroken()) playedMs = untilMs;
      return taken;
    },
    rewind(toMs) {
      playedMs = toMs;
      tracks.clear();
      said.clear();
    },
    close,
  };
}

/** The last lines that were said. */
function createSaid() {
  let lines: DeviceLine[] = [];
  return {
    isLoaded: false,
    add(line: DeviceLine): void {
      lines.push(line);
      if (lines.length > 2 * MAX_LINES) lines = lines.slice(-MAX_LINES);
    },
    lines: (): readonly DeviceLine[] => lines.slice(-MAX_LINES),
    clear(): void {
      lines = [];
      this.isLoaded = false;
    },
  };
}

type Events = ReturnType<typeof openEvents>;

/** What was recorded, one event after the other, with a look at the next one. */
function openEvents(all: AsyncIterable<RecordedEvent>) {
  const iterator = all[Symbol.asyncIterator]();
  let next: RecordedEvent | undefined;
  let hasBegun = false;
  const timeOf = (event: RecordedEvent) => ("sample" in event ? event.sample.tMs : event.line.tMs);
  const step = async () => {
    next = (await iterator.next()).value;
  };
  return {
    /** Returns how many there were. */
    async takeUntil(untilMs: number, take: (event: RecordedEvent) => void, isBroken: () => boolean): Promise<number> {
      if (!hasBegun) await step();
      hasBegun = true;
      let count = 0;
      while (next && timeOf(next) <= untilMs && !isBroken()) {
        take(next);
        count += 1;
        if (count % EVENTS_PER_TURN === 0) await turn();
        await step();
      }
      return count;
    },
    async close(): Promise<void> {
      await iterator.return?.();
    },
  };
}
