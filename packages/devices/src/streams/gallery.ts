import { MediaStreamTrack, RTCPeerConnection, RTCRtpCodecParameters, RtpHeader, RtpPacket } from "werift";
import type { MediaOrder, MediaPlace, MediaReport } from "./media.ts";
import { createPeerCheck } from "./peer-check.ts";
import { payloadsOf, ticksOf } from "./rtp.ts";

/** A viewer from whom nothing was heard for this long is gone: browsers report every second. */
const SILENT_MS = 4_000;
const LOOK_MS = 500;
/** To be connected. */
const CONNECT_MS = 30_000;
/** What is sent at once to a viewer who comes between two key pictures; if it is more, the next one is waited for. */
const MAX_BURST_BYTES = 200_000;
const H264 = {
  mimeType: "video/H264",
  clockRate: 90_000,
  rtcpFeedback: [{ type: "nack" }, { type: "nack", parameter: "pli" }],
  parameters: "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f",
};

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
export function createGallery(report: (report: MediaReport) => void): { take(order: MediaOrder): void } {
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
    report({ report: "ended", viewer: id });
  }

  async function watch({ viewer: id, stream, offer, place }: Extract<MediaOrder, { order: "watch" }>): Promise<void> {
    const connection = openConnection(place, () => hear(id));
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
      await connection.setRemoteDescription({ type: "offer", sdp: offer });
      await connection.setLocalDescription(await connection.createAnswer());
      report({ report: "answer", viewer: id, answer: withIceLite(connection.localDescription?.sdp ?? "") });
    } catch (error) {
      viewers.delete(id);
      void connection.close().catch(() => {});
      report({ report: "refused", viewer: id, reason: String(error) });
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

  function show({ stream, tMs, isKey, bytes, lengths }: Extract<MediaOrder, { order: "picture" }>): void {
    const payloads = payloadsOf(unitsOf(bytes, lengths));
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

function unitsOf(bytes: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  let at = 0;
  return lengths.map((length) => {
    at += length;
    return bytes.subarray(at - length, at);
  });
}

const sizeOf = (payloads: readonly Buffer[]): number => payloads.reduce((sum, { length }) => sum + length, 0);

/** What cannot be sent at once is not kept either: the list is then as good as empty, until the next key picture. */
function keep(kept: Sent[], sent: Sent): void {
  const bytes = kept.reduce((sum, { payloads }) => sum + sizeOf(payloads), 0);
  if (bytes <= MAX_BURST_BYTES) kept.push(sent);
}

/** As ICE lite: browsers come to us, and nothing is sent to any address that an offer names. */
function openConnection({ hosts, bind, ports }: MediaPlace, onHeard: () => void): RTCPeerConnection {
  const passwords = () => connection.iceTransports.map(({ localParameters }) => localParameters.password);
  const connection = new RTCPeerConnection({
    codecs: { video: [new RTCRtpCodecParameters(H264)] },
    iceServers: [],
    iceLite: true,
    iceUseIpv4: false,
    iceUseIpv6: false,
    iceUseTcp: false,
    iceAdditionalHostAddresses: [...hosts],
    ...(bind === undefined ? {} : { iceInterfaceAddresses: bind.includes(":") ? { udp6: bind } : { udp4: bind } }),
    ...(ports === undefined ? {} : { icePortRange: [ports[0], ports[1]] as [number, number] }),
    iceFilterStunResponse: createPeerCheck(passwords, onHeard),
  });
  return connection;
}

/** Browsers read it before the first media only, where the library does not write it. */
const withIceLite = (answer: string): string => answer.replace("\r\nt=0 0\r\n", "\r\nt=0 0\r\na=ice-lite\r\n");
