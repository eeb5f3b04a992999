import type { Device, DeviceLine, Recording, Stopped } from "@backplane/contract/devices";
import { createListeners } from "@backplane/kit/concurrency";
import type { ModelEvents, RecordingNews, SourceNow } from "../services.ts";
import { currentAfter } from "./forwarded-recorder.ts";
import type { News, Opened } from "./wire.ts";

const MAX_LINES = 1_000;

/** What is known of the devices that another instance holds, and who wants to hear of it. */
export function createHolderState(onFault: (error: unknown) => void) {
  const devices = new Map<string, Device>();
  let lines: DeviceLine[] = [];
  let stopped: Stopped | null = null;
  let recording: Recording | null = null;
  let sources: readonly SourceNow[] = [];
  const listeners = {
    device: createListeners<Device>(onFault),
    removed: createListeners<string>(onFault),
    sample: createListeners<Parameters<ModelEvents["sample"]>[0]>(onFault),
    line: createListeners<DeviceLine>(onFault),
    stopped: createListeners<Stopped | null>(onFault),
    recording: createListeners<RecordingNews>(onFault),
    sources: createListeners<readonly SourceNow[]>(onFault),
  };

  function setDevices(changed: readonly Device[], removed: readonly string[]): void {
    for (const device of changed) {
      devices.set(device.id, device);
      listeners.device.emit(device);
    }
    for (const id of removed) if (devices.delete(id)) listeners.removed.emit(id);
  }

  return {
    devices,
    listeners,
    lines: () => lines,
    stopped: () => stopped,
    recording: () => recording,
    sources: () => sources,
    open(opened: Opened): void {
      setDevices(opened.devices, []);
      ({ lines, stopped, recording, sources } = opened);
    },
    openMore: ({ devices: more }: Opened): void => setDevices(more, []),
    hear(news: News): void {
      if (news.kind === "devices") setDevices(news.changed, news.removed);
      else if (news.kind === "lines") {
        lines = [...lines, ...news.lines].slice(-MAX_LINES);
        for (const line of news.lines) listeners.line.emit(line);
      } else if (news.kind === "stopped") {
        stopped = news.stopped;
        listeners.stopped.emit(stopped);
      } else if (news.kind === "recording") {
        recording = currentAfter(recording, news.news);
        listeners.recording.emit(news.news);
      } else if (news.kind === "sources") {
        sources = news.all;
        listeners.sources.emit(sources);
      }
    },
  };
}
