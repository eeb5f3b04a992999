import type { MediaStreamTrack, RTCPeerConnection, RTCRtpReceiver, RtpPacket as WebRtcPacket } from "werift";
import type { MediaReport, ReceiveOrder } from "../media.ts";
import { packPicture } from "../picture.ts";
import { COST, createRate, TOO_MUCH } from "../rate.ts";
import { createAssembler, type RtpPacket } from "../rtp.ts";
import { answerTo, offerOf, openAsking, openListening } from "./connection.ts";
import { createReorder } from "./reorder.ts";

/** Somebody who pushes pictures, and from whom nothing was heard for this long, is gone. */
const SILENT_MS = 5_000;
const CONNECT_MS = 30_000;
const LOOK_MS = 500;
/** Browsers and many servers send a key picture only when they are asked; looking back and latecomers need them. */
const KEY_EVERY_MS = 2_000;
const ASK_KEY_MS = 400;
const GONE = "The connection to whoever sends the pictures was lost.";

type Receiver = {
  connection: RTCPeerConnection;
  /** Undefined: it is a server that we asked. */
  heardMs: number | undefined;
  isConnected: boolean;
  isWanted: boolean;
  keyMs: number;
  askedKeyMs: number;
  source: { receiver: RTCRtpReceiver; ssrc: number } | undefined;
  /** Packets in order, from the last time that somebody wanted them. */
  take(packet: RtpPacket): void;
};

/** All cameras that come by WebRTC to a process, in the thread for video. */
export function createReceivers(report: (report: MediaReport) => void): { take(order: ReceiveOrder): void } {
  const receivers = new Map<string, Receiver>();
  /** Where the servers that were asked say that they are, as far as we may talk to them. */
  const places = new Map<string, ReadonlySet<string>>();

  const timer = setInterval(() => {
    for (const [id, { heardMs, isConnected }] of receivers)
      if (heardMs !== undefined && Date.now() - heardMs > (isConnected ? SILENT_MS : CONNECT_MS)) end(id, GONE);
    for (const one of receivers.values()) if (one.isWanted && Date.now() - one.keyMs > KEY_EVERY_MS) askKey(one);
  }, LOOK_MS);
  timer.unref();

  function end(id: string, reason?: string): void {
    const found = receivers.get(id);
    if (!found) return;
    receivers.delete(id);
    places.delete(id);
    void found.connection.close().catch(() => {});
    report({ report: "ended", peer: id, ...(reason === undefined ? {} : { reason }) });
  }

  function add(id: string, connection: RTCPeerConnection, heardMs: number | undefined): Receiver {
    const rate = createRate();
    const one: Receiver = {
      ...{ connection, heardMs, isConnected: false, isWanted: false, keyMs: 0, askedKeyMs: 0, source: undefined },
      take() {},
    };
    receivers.set(id, one);
    connection.connectionStateChange.subscribe((state) => {
      if (state === "connected") {
        one.isConnected = true;
        hear(one);
      }
      if (state === "closed" || state === "failed" || state === "disconnected") end(id, GONE);
    });
    connection.onTrack.subscribe((track) => {
      // Sound, and further videos, are left out.
      if (track.kind === "video" && !one.source) follow(one, track, (bytes) => rate.take(bytes) || end(id, TOO_MUCH));
    });
    return one;
  }

  function follow(one: Receiver, track: MediaStreamTrack, spend: (bytes: number) => void): void {
    track.onReceiveRtp.subscribe(({ header, payload }: WebRtcPacket) => {
      const transceiver = one.connection.getTransceivers().find(({ kind }) => kind === "video");
      if (!transceiver) return;
      one.source ??= { receiver: transceiver.receiver, ssrc: header.ssrc };
      if (header.ssrc !== one.source.ssrc) return;
      hear(one);
      spend(COST.packet + payload.length);
      const { sequenceNumber: number, timestamp: time, marker: isLast } = header;
      if (one.isWanted) one.take({ number, time, isLast, payload });
    });
  }

  function want(id: string, isWanted: boolean): void {
    const one = receivers.get(id);
    if (!one) return;
    one.isWanted = isWanted;
    if (!isWanted) return;
    // What was lost breaks everything up to the next key picture.
    let waitsForKey = true;
    const assemble = createAssembler("H.264", { parameters: [], clockRate: 90_000 }, (picture) => {
      if (picture.isKey) one.keyMs = Date.now();
      else if (waitsForKey) return;
      waitsForKey = false;
      report({ report: "picture", peer: id, picture: packPicture(picture) });
    });
    one.take = createReorder(Date.now, {
      take: assemble,
      onLost() {
        waitsForKey = true;
        askKey(one);
      },
    });
    askKey(one);
  }

  return {
    take(order) {
      const { peer: id } = order;
      if (order.order === "receive") {
        const onHeard = () => hear(receivers.get(id));
        const { connection } = add(id, openListening(order.place, { doesSend: false, onHeard }), Date.now());
        tell(id, answerTo(connection, order.offer));
      } else if (order.order === "ask") {
        const mayTalkTo = (address: readonly [string, number]) => places.get(id)?.has(address.join(" ")) === true;
        tell(id, offerOf(add(id, openAsking(mayTalkTo), undefined).connection));
      } else if (order.order === "answered") {
        places.set(id, new Set(order.addresses));
        const { connection } = receivers.get(id) ?? {};
        connection
          ?.setRemoteDescription({ type: "answer", sdp: order.answer })
          .catch(() => end(id, "The server's answer cannot be read."));
      } else if (order.order === "want") want(id, order.isWanted);
      else end(id);
    },
  };

  function tell(id: string, sdp: Promise<string>): void {
    sdp.then(
      (text) => report({ report: "sdp", peer: id, sdp: text }),
      () => end(id),
    );
  }
}

function hear(one: Receiver | undefined): void {
  if (one?.heardMs !== undefined) one.heardMs = Date.now();
}

function askKey(one: Receiver): void {
  if (!one.source || Date.now() - one.askedKeyMs < ASK_KEY_MS) return;
  one.askedKeyMs = Date.now();
  void one.source.receiver.sendRtcpPLI(one.source.ssrc);
}
