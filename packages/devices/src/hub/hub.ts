import { DEVICES_LIMITS, type Device, type DeviceLine, type Want } from "@backplane/contract/devices";
import type { Clock } from "@backplane/kit/clock";
import { createListeners } from "@backplane/kit/concurrency";
import type { Hub } from "../services.ts";
import { batchOf, createFeed, type Feed } from "./feed.ts";
import type { View } from "./view.ts";

const { frameMs } = DEVICES_LIMITS;
/** Lines per frame; more of them are left out of this frame's message. */
const MAX_LINES_PER_FRAME = 500;

export type OpenHub = Hub & {
  readonly view: View;
  /** What is now, or what is shown as now by a replay. */
  readonly now: Clock;
  /** Whether a page or a program follows it, or it is being recorded. */
  isUsed(): boolean;
  /** Whether a subscription has not been told everything that there is. */
  isBehind(): boolean;
  /** The last lines, without those that are about to be told: whoever gets these and listens has each of them once. */
  lines(): DeviceLine[];
  /** A sample has come, of any channel. */
  onSample(listener: () => void): () => void;
  close(): void;
};

/** What happened within a frame is told once. */
export function createHub({
  view,
  control,
  recorder,
  sources,
  now,
  onFault,
}: Pick<Hub, "control" | "recorder" | "sources"> & {
  view: View;
  now: Clock;
  onFault: (error: unknown) => void;
}): OpenHub {
  const news = createNews(view, onFault);
  const samples = createListeners(onFault);
  const feeds = new Set<Feed>();
  const stopSamples = view.on("sample", () => samples.emit());

  return {
    view,
    now,
    control,
    recorder,
    sources,
    lines: news.toldLines,
    onSample: samples.add,
    isBehind: () => feeds.values().some(({ hasMore }) => hasMore),
    isUsed: () => samples.size > 0 || news.devices.size > 0 || recorder.current() !== null,
    async list() {
      return { devices: [...view.devices()], stopped: control.stopped() };
    },
    async read(device, capability) {
      const ring = view.ring(device, capability);
      const isKnown = view.device(device)?.capabilities.some(({ id }) => id === capability);
      if (!isKnown) return undefined;
      const last = ring?.sample(ring.next - 1);
      if (!last) return { at: null, fields: {}, ageMs: null };
      return { at: new Date(last.tMs).toISOString(), fields: last.values, ageMs: Math.max(0, now() - last.tMs) };
    },
    async subscribe(want, onBatch) {
      const feed = createFeed(view, want, now());
      feeds.add(feed);
      let timer: NodeJS.Timeout | undefined;
      function flush(): void {
        timer = undefined;
        const fed = feed.take({ nowMs: now(), isThin: false, isHidden: false });
        if (fed) onBatch(batchOf(fed), fed.isHistory);
        if (feed.hasMore) wake();
      }
      function wake(): void {
        timer ??= setTimeout(flush, frameMs);
      }
      flush();
      const stop = samples.add(wake);
      return () => {
        stop();
        clearTimeout(timer);
        feeds.delete(feed);
        feed.close();
      };
    },
    onDevices: async (listener) => news.devices.add(({ changed, removed }) => listener(changed, removed)),
    onLines: async (listener) => news.lines.add(listener),
    close() {
      stopSamples();
      news.close();
    },
  };
}

/** Feeds that a reader has, by the number that it chose. */
export const openFeed = ({ view, now }: OpenHub, want: Want): Feed => createFeed(view, want, now());

/** Devices that changed and lines that were said, gathered for a frame. */
function createNews(view: View, onFault: (error: unknown) => void) {
  const devices = createListeners<{ changed: Device[]; removed: string[] }>(onFault);
  const lines = createListeners<DeviceLine[]>(onFault);
  let changed = new Map<string, Device>();
  let removed = new Set<string>();
  let said: DeviceLine[] = [];
  let timer: NodeJS.Timeout | undefined;

  function tell(): void {
    timer = undefined;
    const news = { changed: [...changed.values()], removed: [...removed] };
    const newLines = said;
    changed = new Map();
    removed = new Set();
    said = [];
    if (news.changed.length > 0 || news.removed.length > 0) devices.emit(news);
    if (newLines.length > 0) lines.emit(newLines);
  }
  const tellSoon = () => {
    timer ??= setTimeout(tell, frameMs);
  };

  const stops = [
    view.on("device", (device) => {
      removed.delete(device.id);
      changed.set(device.id, device);
      tellSoon();
    }),
    view.on("removed", (id) => {
      changed.delete(id);
      removed.add(id);
      tellSoon();
    }),
    view.on("line", (line) => {
      if (lines.size === 0 || said.length >= MAX_LINES_PER_FRAME) return;
      said.push(line);
      tellSoon();
    }),
  ];
  return {
    devices,
    lines,
    toldLines(): DeviceLine[] {
      const untold = new Set(said);
      return view.lines().filter((line) => !untold.has(line));
    },
    close() {
      clearTimeout(timer);
      for (const stop of stops) stop();
    },
  };
}
