import { setImmediate as turn } from "node:timers/promises";
import {
  type Ack,
  DEVICES_LIMITS,
  type Device,
  type DeviceLine,
  type Recording,
  type RecordingMark,
  type Replay,
  type Sample,
} from "@backplane/contract/devices";
import type { Clock } from "@backplane/kit/clock";
import { createListeners } from "@backplane/kit/concurrency";
import { createHub, type OpenHub } from "../hub/hub.ts";
import type { View } from "../hub/view.ts";
import { createRing, type Ring } from "../model/ring.ts";
import type { SharedControl } from "../services.ts";
import { type DeviceChange, topicOf } from "./channels.ts";
import type { ChannelName, RecordedEvent, RecordingSource } from "./source.ts";

const { keptMs, minSpeed, maxSpeed } = DEVICES_LIMITS;
const TICK_MS = 40;
const MAX_LINES = 1_000;
/** Events that are taken before others get their turn. */
const EVENTS_PER_TURN = 1_000;

/** How a replay is changed: what is not given stays. */
export type ReplayChange = { atMs?: number | undefined; speed?: number | undefined; loop?: boolean | undefined };

/** The same functions as those of the live hub, with recorded devices, samples and lines at a time that can be chosen. */
export type ReplayHub = OpenHub & {
  replay(): Replay;
  /** Every channel that a device had at any time of it. */
  recorded(): ChannelName[];
  change(change: ReplayChange): void;
  /** It jumped: what readers have is not what comes before what they will get. */
  onJump(listener: () => void): () => void;
  /** The clock changed, perhaps by itself. */
  onReplay(listener: (replay: Replay) => void): () => void;
  end(): Promise<void>;
};

export type ReplayOptions = {
  source: RecordingSource;
  /** Of what is in memory: null. */
  recording: Pick<Recording, "id" | "name"> | null;
  marks: RecordingMark[];
  gaps: [number, number][];
  /** Where it begins, paused; at its start unless given. */
  atMs?: number | undefined;
  live: OpenHub;
  now: Clock;
  onFault(error: unknown): void;
};

export async function openReplay(options: ReplayOptions): Promise<ReplayHub> {
  const { source, recording, marks, gaps, live, now, onFault } = options;
  const clock = createClock(source, now);
  clock.set({ atMs: options.atMs });
  const player = await createPlayer(source, clock, onFault);
  const nowThen = () => clock.at();
  const { recorder } = live;
  const hub = createHub({ view: player.view, control: replayControl(live.control), recorder, now: nowThen, onFault });
  const changes = createListeners<Replay>(onFault);
  const replay = (): Replay => ({
    ...{ recording: recording?.id ?? null, name: recording?.name ?? null, marks, gaps },
    ...{ startMs: source.startMs, endMs: source.endMs, ...clock.state() },
  });
  const stopFollowing = player.onEnd(() => {
    const { loop, speed } = clock.state();
    clock.set(loop ? { atMs: source.startMs, speed } : { atMs: source.endMs, speed: 0 });
    if (loop) player.jump();
    changes.emit(replay());
  });
  return {
    ...hub,
    replay,
    recorded: player.recorded,
    change(change) {
      clock.set(change);
      if (change.atMs !== undefined) player.jump();
      else player.wake();
      changes.emit(replay());
    },
    onJump: player.onJump,
    onReplay: changes.add,
    async end() {
      stopFollowing();
      hub.close();
      await player.close();
      await source.close();
    },
  };
}

type ReplayClock = ReturnType<typeof createClock>;

function createClock({ startMs, endMs }: RecordingSource, now: Clock) {
  const inside = (ms: number) => Math.min(endMs, Math.max(startMs, ms));
  let state = { atMs: startMs, sinceMs: now(), speed: 0, loop: false };
  const at = () => inside(state.atMs + Math.max(0, now() - state.sinceMs) * state.speed);
  return {
    at,
    state: () => ({ ...state }),
    set({ atMs, speed, loop }: ReplayChange) {
      const speedNow = speed ?? state.speed;
      state = {
        ...{ atMs: atMs === undefined ? at() : inside(atMs), sinceMs: now(), loop: loop ?? state.loop },
        speed: speedNow === 0 ? 0 : Math.min(maxSpeed, Math.max(minSpeed, speedNow)),
      };
    },
  };
}

type Followed = ChannelName & { watchers: number; ring: Ring | undefined };

/** Plays a source into rings, as if its devices were sending now. Only channels that somebody watches are read. */
async function createPlayer(source: RecordingSource, clock: ReplayClock, onFault: (error: unknown) => void) {
  const changes = await source.changes();
  const listeners = {
    device: createListeners<Device>(onFault),
    removed: createListeners<string>(onFault),
    sample: createListeners<Sample>(onFault),
    line: createListeners<DeviceLine>(onFault),
  };
  const jumped = createListeners(onFault);
  const ended = createListeners(onFault);
  const followed = new Map<string, Followed>();
  let devices = new Map<string, Device>();
  let nextChange = 0;
  let lines: DeviceLine[] = [];
  let areLinesLoaded = false;
  /** Everything until here is in the rings. */
  let playedMs = clock.at();
  let events: { iterator: AsyncIterator<RecordedEvent>; next: RecordedEvent | undefined } | undefined;
  /** Readers see a ring when all that came before is in it. */
  const loading = new Map<string, Ring>();
  let isClosed = false;
  let isJumping = false;
  let wake = () => {};

  const loadedChannels = () => [...followed.values()].filter(({ ring }) => ring);
  const timeOf = (event: RecordedEvent) => ("sample" in event ? event.sample.tMs : event.line.tMs);

  function apply(untilMs: number, isTold: boolean): void {
    for (let change = changes[nextChange]; change && change.tMs <= untilMs; change = changes[nextChange]) {
      nextChange += 1;
      applyChange(devices, change);
      if (!isTold) continue;
      if (change.device) listeners.device.emit(change.device);
      else listeners.removed.emit(change.id);
    }
  }

  function take(event: RecordedEvent): void {
    if ("line" in event) {
      lines.push(event.line);
      if (lines.length > 2 * MAX_LINES) lines = lines.slice(-MAX_LINES);
      return;
    }
    const { tMs, values, deviceTMs } = event.sample;
    const key = topicOf(event.sample);
    (loading.get(key) ?? followed.get(key)?.ring)?.append(tMs, values, deviceTMs);
  }

  const closeEvents = async () => {
    await events?.iterator.return?.();
    events = undefined;
  };

  /** Reads what came before, for channels that are new here. */
  async function load(): Promise<void> {
    const fresh = [...followed.values()].filter(({ ring }) => !ring);
    if (fresh.length === 0 && areLinesLoaded) return;
    await closeEvents();
    for (const one of fresh) loading.set(topicOf(one), createRing(fieldsOf(devices, changes, one)));
    const wanted = { channels: fresh, lines: !areLinesLoaded };
    await takeAll(source.read(wanted, playedMs - keptMs, playedMs));
    const isDone = !isJumping && !isClosed;
    for (const one of isDone ? fresh : []) one.ring = loading.get(topicOf(one));
    loading.clear();
    if (!isDone) return;
    areLinesLoaded = true;
    listeners.sample.emit({ device: "", capability: "", tMs: playedMs, values: {} });
  }

  async function takeAll(all: AsyncIterable<RecordedEvent>): Promise<void> {
    let count = 0;
    for await (const event of all) {
      if (isJumping || isClosed) return;
      take(event);
      count += 1;
      if (count % EVENTS_PER_TURN === 0) await turn();
    }
  }

  async function play(untilMs: number): Promise<void> {
    if (!events) {
      const wanted = { channels: loadedChannels(), lines: true };
      const iterator = source.read(wanted, playedMs, source.endMs)[Symbol.asyncIterator]();
      events = { iterator, next: (await iterator.next()).value };
    }
    let count = 0;
    while (events.next && timeOf(events.next) <= untilMs && !isJumping && !isClosed) {
      take(events.next);
      if ("line" in events.next) listeners.line.emit(events.next.line);
      events.next = (await events.iterator.next()).value;
      count += 1;
      if (count % EVENTS_PER_TURN === 0) await turn();
    }
    if (isJumping) return;
    playedMs = untilMs;
    apply(untilMs, true);
    if (count > 0) listeners.sample.emit({ device: "", capability: "", tMs: untilMs, values: {} });
  }

  async function restart(): Promise<void> {
    await closeEvents();
    isJumping = false;
    playedMs = clock.at();
    for (const one of followed.values()) one.ring = undefined;
    lines = [];
    areLinesLoaded = false;
    devices = new Map();
    nextChange = 0;
    apply(playedMs, false);
    await load();
    if (!isJumping) jumped.emit();
  }

  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, clock.state().speed > 0 ? TICK_MS : 60_000);
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
        if (untilMs > playedMs) await play(untilMs);
        if (!isJumping && clock.state().speed > 0 && playedMs >= source.endMs) ended.emit();
      }
      if (!isJumping && !isClosed && loadedAll()) await pause();
    }
    await closeEvents();
  }
  const loadedAll = () => areLinesLoaded && followed.values().every(({ ring }) => ring);

  apply(playedMs, false);
  const running = run().catch(onFault);

  const view: View = {
    devices: () => [...devices.values()],
    device: (id) => devices.get(id),
    ring: (device, capability) => followed.get(topicOf({ device, capability }))?.ring,
    lines: () => lines.slice(-MAX_LINES),
    on: (event, listener) => listeners[event].add(listener as never),
    watch(device, capability) {
      const key = topicOf({ device, capability });
      const one = followed.get(key) ?? { device, capability, watchers: 0, ring: undefined };
      followed.set(key, one);
      one.watchers += 1;
      wake();
      return {
        ready: Promise.resolve(),
        stop() {
          one.watchers -= 1;
          if (one.watchers === 0 && followed.get(key) === one) followed.delete(key);
        },
      };
    },
  };

  return {
    view,
    recorded(): ChannelName[] {
      const all = changes.flatMap(({ id, device }) =>
        (device?.capabilities ?? []).map((capability) => ({ device: id, capability: capability.id })),
      );
      return [...new Map(all.map((one) => [topicOf(one), one])).values()];
    },
    wake: () => wake(),
    onJump: jumped.add,
    onEnd: ended.add,
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

function applyChange(devices: Map<string, Device>, { id, device }: DeviceChange): void {
  if (device) devices.set(id, device);
  else devices.delete(id);
}

/** A channel of a device that is not there at this time is described as it was when it was. */
function fieldsOf(devices: ReadonlyMap<string, Device>, changes: readonly DeviceChange[], channel: ChannelName) {
  const all = [
    devices.get(channel.device),
    ...changes.map(({ id, device }) => (id === channel.device ? device : null)),
  ];
  const capability = all.flatMap((device) => device?.capabilities ?? []).find(({ id }) => id === channel.capability);
  return capability?.fields ?? {};
}

/** What is seen is not what is there: only stopping and letting go reach the devices. */
function replayControl(live: SharedControl): SharedControl {
  const detail = "This page shows a recording. Go back to live first.";
  const refused = (): Ack => ({ ok: false, code: "replaying", detail, tookMs: 0 });
  const NOT_THERE: ReadonlySet<Ack["code"]> = new Set(["denied", "device-unknown", "unsupported"]);
  return {
    ...live,
    take: async () => refused(),
    renew: refused,
    arm: refused,
    clear: async () => refused(),
    press: () => {},
    async command(target, command, actor, onAccepted) {
      const ack = await live.command(target, command, { ...actor, mayOnlyStop: true }, onAccepted);
      return NOT_THERE.has(ack.code) ? refused() : ack;
    },
  };
}
