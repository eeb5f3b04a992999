import { setImmediate as turn } from "node:timers/promises";
import { DEVICES_LIMITS, type Device, type DeviceLine, type Sample } from "@backplane/contract/devices";
import { createListeners } from "@backplane/kit/concurrency";
import type { View } from "../hub/view.ts";
import type { ReplayClock } from "./replay-clock.ts";
import type { ChannelName, RecordedEvent, RecordingSource } from "./source.ts";
import { createTimeline } from "./timeline.ts";
import { createTracks } from "./tracks.ts";

const { keptMs } = DEVICES_LIMITS;
const TICK_MS = 40;
const PAUSED_MS = 60_000;
const MAX_LINES = 1_000;
/** Events that are taken before others get their turn. */
const EVENTS_PER_TURN = 1_000;

/** Plays a recording into a view, as if its devices were sending now. */
export type Player = {
  view: View;
  recorded(): ChannelName[];
  /** The clock was set to another time. */
  jump(): void;
  wake(): void;
  /** It has jumped, and what came before is there. */
  onJump(listener: () => void): () => void;
  /** It has come to its end. */
  onEnd(listener: () => void): () => void;
  close(): Promise<void>;
};

/** Only channels that somebody watches are read. One thing at a time: load, play, or jump. */
export async function openPlayer(
  source: RecordingSource,
  clock: ReplayClock,
  onFault: (error: unknown) => void,
): Promise<Player> {
  const timeline = createTimeline(await source.changes());
  const tracks = createTracks(timeline, () => wake());
  const listeners = {
    ...{ device: createListeners<Device>(onFault), removed: createListeners<string>(onFault) },
    ...{ sample: createListeners<Sample>(onFault), line: createListeners<DeviceLine>(onFault) },
  };
  const [jumped, ended] = [createListeners(onFault), createListeners(onFault)];
  const said = createSaid();
  /** Everything until here is in the tracks. */
  let playedMs = clock.at();
  let events: Events | undefined;
  let isClosed = false;
  let isJumping = false;
  let wake = () => {};
  const isBroken = () => isJumping || isClosed;
  const tell = () => listeners.sample.emit({ device: "", capability: "", tMs: playedMs, values: {} });

  function take(event: RecordedEvent): void {
    if ("line" in event) said.add(event.line);
    else tracks.append(event.sample);
  }

  async function closeEvents(): Promise<void> {
    await events?.close();
    events = undefined;
  }

  /** Reads what came before, for channels that are new here. */
  async function load(): Promise<void> {
    const channels = tracks.fresh();
    if (channels.length === 0 && said.isLoaded) return;
    await closeEvents();
    tracks.begin(channels);
    const past = openEvents(source.read({ channels, lines: !said.isLoaded }, playedMs - keptMs, playedMs));
    await past.takeUntil(playedMs, take, isBroken);
    await past.close();
    tracks.finish(!isBroken());
    if (isBroken()) return;
    said.isLoaded = true;
    tell();
  }

  async function play(untilMs: number): Promise<void> {
    events ??= openEvents(source.read({ channels: tracks.loaded(), lines: true }, playedMs, source.endMs));
    const count = await events.takeUntil(
      untilMs,
      (event) => {
        take(event);
        if ("line" in event) listeners.line.emit(event.line);
      },
      isBroken,
    );
    if (isBroken()) return;
    playedMs = untilMs;
    for (const { id, device } of timeline.advance(untilMs)) {
      if (device) listeners.device.emit(device);
      else listeners.removed.emit(id);
    }
    if (count > 0) tell();
  }

  async function restart(): Promise<void> {
    await closeEvents();
    isJumping = false;
    playedMs = clock.at();
    tracks.clear();
    said.clear();
    timeline.jump(playedMs);
    await load();
    if (!isBroken()) jumped.emit();
  }

  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, clock.state().speed > 0 ? TICK_MS : PAUSED_MS);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  async function run(): Promise<void> {
    while (!isClosed) {
      if (isJumping) await restart();
      else {
        await load();
        const untilMs = clock.at();
        if (untilMs > playedMs && !isBroken()) await play(untilMs);
        if (!isBroken() && clock.state().speed > 0 && playedMs >= source.endMs) ended.emit();
      }
      if (!isBroken() && said.isLoaded && tracks.fresh().length === 0) await pause();
    }
    await closeEvents();
  }

  timeline.jump(playedMs);
  const running = run().catch(onFault);
  return {
    view: {
      ...{ devices: timeline.devices, device: timeline.device, lines: said.lines },
      ring: (device, capability) => tracks.ring({ device, capability }),
      on: (event, listener) => listeners[event].add(listener as never),
      watch: (device, capability) => tracks.watch({ device, capability }),
    },
    recorded: timeline.channels,
    ...{ onJump: jumped.add, onEnd: ended.add },
    wake: () => wake(),
    jump() {
      isJumping = true;
      wake();
    },
    async close() {
      isClosed = true;
      wake();
      await running;
    },
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
