import type { Device, DeviceLine, Sample } from "@backplane/contract/devices";
import { createListeners } from "@backplane/kit/concurrency";
import type { View } from "../hub/view.ts";
import { openReel } from "./reel.ts";
import type { ReplayClock } from "./replay-clock.ts";
import { createRest } from "./rest.ts";
import type { ChannelName, RecordingSource } from "./source.ts";
import { createTimeline } from "./timeline.ts";
import { createTracks } from "./tracks.ts";

const TICK_MS = 40;
const PAUSED_MS = 60_000;

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

/** One thing at a time: load, play, or jump. */
export async function openPlayer(
  source: RecordingSource,
  clock: ReplayClock,
  onFault: (error: unknown) => void,
): Promise<Player> {
  const timeline = createTimeline(await source.changes());
  const rest = createRest();
  const tracks = createTracks(timeline, rest.wake);
  const listeners = {
    ...{ device: createListeners<Device>(onFault), removed: createListeners<string>(onFault) },
    ...{ sample: createListeners<Sample>(onFault), line: createListeners<DeviceLine>(onFault) },
  };
  const [jumped, ended] = [createListeners(onFault), createListeners(onFault)];
  let isClosed = false;
  let isJumping = false;
  const isBroken = () => isJumping || isClosed;
  const reel = openReel({ source, tracks, isBroken, atMs: clock.at() });
  const tell = () => listeners.sample.emit({ device: "", capability: "", tMs: reel.playedMs, values: {} });

  async function play(untilMs: number): Promise<void> {
    const count = await reel.play(untilMs, listeners.line.emit);
    if (isBroken()) return;
    for (const { id, device } of timeline.advance(untilMs)) {
      if (device) listeners.device.emit(device);
      else listeners.removed.emit(id);
    }
    if (count > 0) tell();
  }

  async function restart(): Promise<void> {
    await reel.close();
    isJumping = false;
    reel.rewind(clock.at());
    timeline.jump(reel.playedMs);
    if (await reel.load()) tell();
    if (!isBroken()) jumped.emit();
  }

  async function goOn(): Promise<void> {
    if (await reel.load()) tell();
    const untilMs = clock.at();
    if (untilMs > reel.playedMs && !isBroken()) await play(untilMs);
    if (!isBroken() && clock.state().speed > 0 && reel.playedMs >= source.endMs) ended.emit();
  }

  async function run(): Promise<void> {
    while (!isClosed) {
      await (isJumping ? restart() : goOn());
      if (!isBroken() && reel.isLoaded()) await rest.wait(clock.state().speed > 0 ? TICK_MS : PAUSED_MS);
    }
    await reel.close();
  }

  timeline.jump(reel.playedMs);
  const running = run().catch(onFault);
  return {
    view: {
      ...{ devices: timeline.devices, device: timeline.device, lines: reel.lines },
      ring: (device, capability) => tracks.ring({ device, capability }),
      on: (event, listener) => listeners[event].add(listener as never),
      watch: (device, capability, pastMs = 0) => tracks.watch({ device, capability }, pastMs),
    },
    recorded: timeline.channels,
    ...{ onJump: jumped.add, onEnd: ended.add, wake: rest.wake },
    jump() {
      isJumping = true;
      rest.wake();
    },
    async close() {
      isClosed = true;
      rest.wake();
      await running;
    },
  };
}
