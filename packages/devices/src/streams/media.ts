import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { createBacklog } from "./backlog.ts";
import { type PackedPicture, type Picture, packPicture, unitsOf } from "./picture.ts";

/** Where browsers reach the media: addresses that they are told, the one that is listened at, and which ports. */
export type MediaPlace = {
  hosts: readonly string[];
  bind: string | undefined;
  ports: readonly [number, number] | undefined;
};

export type MediaOrder =
  | { order: "watch"; viewer: string; stream: string; offer: string; place: MediaPlace }
  | { order: "picture"; stream: string; picture: PackedPicture }
  | { order: "end"; viewer: string }
  | { order: "forget"; stream: string }
  | ReceiveOrder;

/** For pictures that come by WebRTC: from somebody who offers them, or from a server that is asked. */
export type ReceiveOrder =
  | { order: "receive"; peer: string; offer: string; place: MediaPlace }
  | { order: "ask"; peer: string }
  | { order: "answered"; peer: string; answer: string; addresses: readonly string[] }
  | { order: "want"; peer: string; isWanted: boolean }
  | { order: "leave"; peer: string };

export type MediaReport =
  | { report: "sdp"; peer: string; sdp: string }
  | { report: "picture"; peer: string; picture: PackedPicture }
  | { report: "ended"; peer: string; reason?: string };

/** Pictures that come by WebRTC, until `end` or `onEnded`. */
export type Receiving = {
  /** The answer to the offer, or our offer. Undefined: the offer cannot be read. Rejects when the thread ends. */
  sdp: Promise<string | undefined>;
  /** `addresses`: of the answer, that we may talk to, as "host port". */
  answered(answer: string, addresses: readonly string[]): void;
  /** Without that, pictures are left out. */
  want(isWanted: boolean): void;
  end(): void;
};

export type ReceivingEvents = { picture(picture: Picture): void; ended(reason: string | undefined): void };

/** WebRTC for all viewers of this process, and for cameras that come by WebRTC. */
export type Media = {
  /** Undefined: the offer cannot be read. Rejects when the thread ends. */
  watch(viewer: string, stream: string, offer: string, onEnded: () => void): Promise<string | undefined>;
  picture(stream: string, picture: Picture): void;
  end(viewer: string): void;
  forget(stream: string): void;
  /** `offer`: of whoever sends pictures to us. Undefined: we make one, for another server. */
  receive(peer: string, offer: string | undefined, events: ReceivingEvents): Receiving;
  close(): Promise<void>;
};

/** Next to this file, as TypeScript or built. */
const THREAD = `./media-thread${extname(import.meta.url)}`;
const MAX_THREAD_MEMORY_MB = 512;

type Peer = Partial<ReceivingEvents> & {
  ended(reason: string | undefined): void;
  sdp: PromiseWithResolvers<string | undefined>;
};

/**
 * WebRTC runs in a thread of its own: a packet that makes the library fail ends only the thread, and the encryption for
 * many viewers does not keep devices waiting. It starts with the first viewer. While it is behind, pictures are left out.
 */
export function openMedia(place: MediaPlace, onFault: (error: unknown) => void): Media {
  let thread: Worker | undefined;
  const peers = new Map<string, Peer>();
  let backlog = createBacklog();
  let isClosed = false;

  function take(report: MediaReport): void {
    const peer = peers.get(report.peer);
    if (report.report === "sdp") peer?.sdp.resolve(report.sdp);
    else if (report.report === "picture") {
      const { tMs, isKey } = report.picture;
      peer?.picture?.({ tMs, isKey, units: unitsOf(report.picture) });
    } else {
      peers.delete(report.peer);
      peer?.sdp.resolve(undefined);
      peer?.ended(report.reason);
    }
  }

  function start(): Worker {
    backlog = createBacklog();
    const started = new Worker(new URL(THREAD, import.meta.url), {
      workerData: backlog.waiting,
      resourceLimits: { maxOldGenerationSizeMb: MAX_THREAD_MEMORY_MB },
    });
    started.unref();
    started.on("message", take);
    started.once("error", onFault);
    started.once("exit", () => {
      // The next viewer starts a new one; pages connect again by themselves.
      if (thread === started) thread = undefined;
      const left = [...peers.values()];
      peers.clear();
      for (const { sdp, ended } of left) {
        sdp.reject(new Error("The thread for video has ended."));
        ended(undefined);
      }
    });
    return started;
  }
  const send = (order: MediaOrder, transfer: ArrayBuffer[] = []): void => thread?.postMessage(order, transfer);

  function add(id: string, events: Omit<Peer, "sdp">, order: MediaOrder): Promise<string | undefined> {
    if (isClosed) return Promise.resolve(undefined);
    thread ??= start();
    const sdp = Promise.withResolvers<string | undefined>();
    sdp.promise.catch(() => {});
    peers.set(id, { ...events, sdp });
    send(order);
    return sdp.promise;
  }

  return {
    watch: (viewer, stream, offer, onEnded) =>
      add(viewer, { ended: () => onEnded() }, { order: "watch", viewer, stream, offer, place }),
    picture(stream, picture) {
      const size = picture.units.reduce((sum, { length }) => sum + length, 0);
      if (!thread || !backlog.add(stream, picture.isKey, size)) return;
      // Its own memory, which then belongs to the thread.
      const packed = packPicture(picture);
      send({ order: "picture", stream, picture: packed }, [packed.bytes.buffer]);
    },
    end: (viewer) => send({ order: "end", viewer }),
    forget(stream) {
      backlog.forget(stream);
      send({ order: "forget", stream });
    },
    receive: (peer, offer, events) => ({
      sdp: add(peer, events, offer === undefined ? { order: "ask", peer } : { order: "receive", peer, offer, place }),
      answered: (answer, addresses) => send({ order: "answered", peer, answer, addresses }),
      want: (isWanted) => send({ order: "want", peer, isWanted }),
      end() {
        peers.delete(peer);
        send({ order: "leave", peer });
      },
    }),
    async close() {
      isClosed = true;
      await thread?.terminate();
    },
  };
}
