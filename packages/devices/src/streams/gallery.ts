import { MediaStreamTrack, type RTCPeerConnection, RtpHeader, RtpPacket } from "werift";
import type { MediaOrder, MediaReport } from "./media.ts";
import { unitsOf } from "./picture.ts";
import { payloadsOf, ticksOf } from "./rtp.ts";
import { answerTo, openListening } from "./webrtc/connection.ts";

/** A viewer from whom nothing was heard for this long is gone: browsers report every second. */
const SILENT_MS = 4_000;
const LOOK_MS = 500;
/** To be connected. */
const CONNECT_MS = 30_000;
/** What is sent at once to a viewer who comes between two key pictures; if it is more, the next one is waited for. */
const MAX_BURST_BYTES = 200_000;

type GalleryOrder = Extract<MediaOrder, { order: "watch" | "picture" | "end" | "forget" }>;
type Sent = { tMs: number; payloads: Buffer[] };
type Viewer = {
  stream: string;
  connection: RTCPeerConnection;
  track: MediaStreamTrack;
  isConnected: boolean;
  heardMs: number;
  number: number;
  /** The time of the last picture, in ticks; undefined: none was sent. */
  ticks: number | undefined;
};

/** All viewers of all streams of a process, in the thread for video. */
export function createGallery(report: (report: MediaReport) => void): { take(order: GalleryOrder): void } {
  const viewers = new Map<string, Viewer>();
  /** Per stream: the last key picture and what came after it. */
  const recent = new Map<string, Sent[]>();

  const timer = setInterval(() => {
    for (const [id, { heardMs, isConnected }] of viewers) {
      if (Date.now() - heardMs > (isConnected ? SILENT_MS : CONNECT_MS)) end(id);
    }
  }, LOOK_MS);
  timer.unref();

  function end(id: string): void {
    const viewer = viewers.get(id);
    if (!viewer) return;
    viewers.delete(id);
    void viewer.connection.close().catch(() => {});
    report({ report: "ended", peer: id });
  }

  async function watch({ viewer: id, stream, offer, place }: Extract<MediaOrder, { order: "watch" }>): Promise<void> {
    const connection = openListening(place, { doesSend: true, onHeard: () => hear(id) });
    const track = new MediaStreamTrack({ kind: "video" });
    const viewer: Viewer = {
      ...{ stream, connection, track, isConnected: false, heardMs: Date.now() },
      ...{ number: Math.floor(Math.random() * 0x8000), ticks: undefined },
    };
    viewers.set(id, viewer);
    connection.connectionStateChange.subscribe((state) => {
      if (state === "connected") begin(viewer);
      if (state === "closed" || state === "failed" || state === "disconnected") end(id);
    });
    try {
      const { sender } = connection.addTransceiver(track, { direction: "sendonly" });
      sender.onRtcp.subscribe(() => hear(id));
      report({ report: "sdp", peer: id, sdp: await answerTo(connection, offer) });
    } catch {
      end(id);
    }
  }

  function hear(id: string): void {
    const viewer = viewers.get(id);
    if (viewer) viewer.heardMs = Date.now();
  }

  /** From the last key picture on, with times so near to each other that the browser does not wait between them. */
  function begin(viewer: Viewer): void {
    viewer.isConnected = true;
    viewer.heardMs = Date.now();
    const kept = recent.get(viewer.stream) ?? [];
    const bytes = kept.reduce((sum, { payloads }) => sum + sizeOf(payloads), 0);
    const last = kept.at(-1);
    if (!last || bytes > MAX_BURST_BYTES) return;
    for (const [i, { payloads }] of kept.entries()) send(viewer, last.tMs - (kept.length - 1 - i), payloads);
  }

  function send(viewer: Viewer, tMs: number, payloads: readonly Buffer[]): void {
    const timestamp = ticksOf(tMs);
    viewer.ticks = timestamp;
    for (const [i, payload] of payloads.entries()) {
      viewer.number = (viewer.number + 1) & 0xffff;
      const marker = i === payloads.length - 1;
      const header = new RtpHeader({ version: 2, payloadType: 96, sequenceNumber: viewer.number, timestamp, marker });
      viewer.track.writeRtp(new RtpPacket(header, payload));
    }
  }

  function show({ stream, picture }: Extract<MediaOrder, { order: "picture" }>): void {
    const { tMs, isKey } = picture;
    const payloads = payloadsOf(unitsOf(picture));
    const kept = recent.get(stream);
    if (isKey) recent.set(stream, [{ tMs, payloads }]);
    else if (kept) keep(kept, { tMs, payloads });
    for (const viewer of viewers.values()) {
      if (viewer.stream !== stream || !viewer.isConnected) continue;
      if (isKey || viewer.ticks !== undefined) send(viewer, tMs, payloads);
    }
  }

  return {
    take(order) {
      if (order.order === "picture") show(order);
      else if (order.order === "watch") void watch(order);
      else if (order.order === "end") end(order.viewer);
      else {
        recent.delete(order.stream);
        for (const [id, { stream }] of viewers) if (stream === order.stream) end(id);
      }
    },
  };
}

const sizeOf = (payloads: readonly Buffer[]): number => payloads.reduce((sum, { length }) => sum + length, 0);

/** What cannot be sent at once is not kept either: the list is then as good as empty, until the next key picture. */
function keep(kept: Sent[], sent: Sent): void {
  const bytes = kept.reduce((sum, { payloads }) => sum + sizeOf(payloads), 0);
  if (bytes <= MAX_BURST_BYTES) kept.push(sent);
}
