import type { Device, DeviceLine, Recording, Stopped } from "@backplane/contract/devices";
import type { Bus, JsonValue } from "@backplane/kit/bus";
import { createListeners } from "@backplane/kit/concurrency";
import { Problem } from "@backplane/kit/problems";
import type { View, Watch } from "../hub/view.ts";
import { createRing, type Ring } from "../model/ring.ts";
import type { ModelEvents, Recorder, RecordingNews, SharedControl, SourceNow, SourceStatuses } from "../services.ts";
import { createForwardedControl } from "./forwarded-control.ts";
import { createForwardedRecorder, currentAfter } from "./forwarded-recorder.ts";
import { type Call, type ChannelName, callChannel, type News, newsChannel, type Opened, type Piece } from "./wire.ts";

const CALL_MS = 5_000;
const WATCH_EVERY_MS = 3_000;
const ALIVE_EVERY_MS = 1_000;
const MAX_LINES = 1_000;

/** The devices of a workspace that another instance holds. */
export type Replica = {
  view: View;
  control: SharedControl;
  recorder: Recorder;
  sources: SourceStatuses;
  close(): Promise<void>;
};

type Mirror = ChannelName & {
  ring: Ring | undefined;
  /** The holder's number of its ring, and of the sample that comes next. */
  theirs: number | null;
  next: number;
  watchers: number;
  asking: boolean;
};

export async function openReplica(
  workspaceId: string,
  { bus, onFault, onEnded }: { bus: Bus; onFault: (error: unknown) => void; onEnded: () => void },
): Promise<Replica | undefined> {
  const devices = new Map<string, Device>();
  let lines: DeviceLine[] = [];
  const mirrors = new Map<string, Mirror>();
  const listeners = {
    device: createListeners<Device>(onFault),
    removed: createListeners<string>(onFault),
    sample: createListeners<Parameters<ModelEvents["sample"]>[0]>(onFault),
    line: createListeners<DeviceLine>(onFault),
  };
  const recordings = createListeners<RecordingNews>(onFault);
  const stoppedListeners = createListeners<Stopped | null>(onFault);
  const sourceListeners = createListeners<readonly SourceNow[]>(onFault);
  const accepted = new Map<string, () => void>();
  let stopped: Stopped | null = null;
  let recording: Recording | null = null;
  let sources: readonly SourceNow[] = [];
  let isClosed = false;

  async function call(message: Call, timeoutMs = CALL_MS): Promise<JsonValue> {
    const reply = await bus.request(callChannel(workspaceId), message as unknown as JsonValue, { timeoutMs });
    if (reply.ok) return reply.value;
    if (reply.reason === "no-responder") end();
    throw new Problem("not-ready", { detail: "The instance that holds these devices did not answer. Try again." });
  }

  function end(): void {
    if (isClosed) return;
    isClosed = true;
    onEnded();
  }

  function setDevices(changed: readonly Device[], removed: readonly string[]): void {
    for (const device of changed) {
      devices.set(device.id, device);
      listeners.device.emit(device);
    }
    for (const id of removed) if (devices.delete(id)) listeners.removed.emit(id);
  }

  /** Takes what follows on what is here; a gap is asked for. */
  function take(mirror: Mirror, piece: Piece): void {
    if (mirror.theirs !== null && piece.ring < mirror.theirs) return;
    if (piece.ring !== mirror.theirs || !mirror.ring) {
      const declared = devices.get(piece.device)?.capabilities.find(({ id }) => id === piece.capability);
      if (!declared) return;
      mirror.ring = createRing(declared.fields);
      mirror.theirs = piece.ring;
      mirror.next = piece.first;
    }
    if (piece.first > mirror.next) return void ask(mirror);
    for (let i = mirror.next - piece.first; i < piece.tMs.length; i += 1) {
      const values = Object.fromEntries(
        piece.fields.flatMap((name, place) => {
          const value = piece.values[place]?.[i] ?? null;
          return value === null ? [] : [[name, value]];
        }),
      );
      mirror.ring.append(piece.tMs[i] as number, values);
      mirror.next += 1;
    }
    const { device, capability } = piece;
    const tMs = mirror.ring.lastTMs;
    if (tMs !== undefined) listeners.sample.emit({ device, capability, tMs, values: {} });
  }

  async function ask(mirror: Mirror): Promise<void> {
    if (mirror.asking || isClosed) return;
    mirror.asking = true;
    try {
      for (let isMore = true; isMore && mirror.watchers > 0; ) {
        const { device, capability, theirs, next } = mirror;
        const piece = (await call({ op: "watch", device, capability, ring: theirs, from: next })) as Piece | null;
        if (!piece) return;
        // What is too old for the holder is gone for everybody.
        if (piece.ring === mirror.theirs && piece.first > mirror.next) mirror.next = piece.first;
        take(mirror, piece);
        isMore = piece.tMs.length > 0 && mirror.next > next;
      }
    } catch {
      // It is asked again soon, and whoever waits for it sees the device as it was.
    } finally {
      mirror.asking = false;
    }
  }

  function hear(news: News): void {
    if (news.kind === "devices") setDevices(news.changed, news.removed);
    else if (news.kind === "samples") {
      for (const piece of news.pieces) {
        const mirror = mirrors.get(`${piece.device}/${piece.capability}`);
        // Before the first answer there is nothing to join with.
        if (mirror?.ring) take(mirror, piece);
      }
    } else if (news.kind === "lines") {
      lines = [...lines, ...news.lines].slice(-MAX_LINES);
      for (const line of news.lines) listeners.line.emit(line);
    } else if (news.kind === "stopped") {
      stopped = news.stopped;
      stoppedListeners.emit(stopped);
    } else if (news.kind === "recording") {
      recording = currentAfter(recording, news.news);
      recordings.emit(news.news);
    } else if (news.kind === "sources") {
      sources = news.all;
      sourceListeners.emit(sources);
    } else if (news.kind === "accepted") accepted.get(news.call)?.();
    else if (news.kind === "ended") end();
  }

  const unsubscribe = await bus.subscribe(newsChannel(workspaceId), (message) => hear(message as unknown as News));
  const timers = [
    setInterval(() => {
      for (const mirror of mirrors.values()) void ask(mirror);
    }, WATCH_EVERY_MS).unref(),
    setInterval(() => void call({ op: "alive" }).catch(() => undefined), ALIVE_EVERY_MS).unref(),
  ];
  async function close(): Promise<void> {
    isClosed = true;
    for (const timer of timers) clearInterval(timer);
    await unsubscribe().catch(onFault);
  }

  try {
    const opened = (await call({ op: "open" })) as unknown as Opened;
    setDevices(opened.devices, []);
    lines = opened.lines;
    stopped = opened.stopped;
    recording = opened.recording;
    sources = opened.sources;
    for (let after = opened.next; after !== undefined; ) {
      const more = (await call({ op: "open", after })) as unknown as Opened;
      setDevices(more.devices, []);
      after = more.next;
    }
  } catch (error) {
    await close();
    if (error instanceof Problem) return undefined;
    throw error;
  }

  function watch(device: string, capability: string): Watch {
    const key = `${device}/${capability}`;
    const mirror: Mirror = mirrors.get(key) ?? {
      ...{ device, capability, ring: undefined, theirs: null, next: 0, watchers: 0, asking: false },
    };
    mirrors.set(key, mirror);
    mirror.watchers += 1;
    return {
      ready: ask(mirror),
      stop() {
        mirror.watchers -= 1;
        if (mirror.watchers === 0) mirrors.delete(key);
      },
    };
  }

  return {
    view: {
      devices: () => [...devices.values()],
      device: (id) => devices.get(id),
      ring: (device, capability) => mirrors.get(`${device}/${capability}`)?.ring,
      lines: () => lines,
      on: (event, listener) => listeners[event].add(listener as never),
      watch,
    },
    control: createForwardedControl({ call, accepted, stopped: () => stopped, onStopped: stoppedListeners.add }),
    recorder: createForwardedRecorder({ call, current: () => recording, onChange: recordings.add }),
    sources: { all: () => sources, onChange: sourceListeners.add },
    close,
  };
}
