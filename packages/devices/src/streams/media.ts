import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { createBacklog } from "./backlog.ts";
import type { Picture } from "./picture.ts";

/** Where browsers reach the media: addresses that they are told, the one that is listened at, and which ports. */
export type MediaPlace = {
  hosts: readonly string[];
  bind: string | undefined;
  ports: readonly [number, number] | undefined;
};

export type MediaOrder =
  | { order: "watch"; viewer: string; stream: string; offer: string; place: MediaPlace }
  | { order: "picture"; stream: string; tMs: number; isKey: boolean; bytes: Uint8Array; lengths: number[] }
  | { order: "end"; viewer: string }
  | { order: "forget"; stream: string };
export type MediaReport =
  | { report: "answer"; viewer: string; answer: string }
  | { report: "refused"; viewer: string; reason: string }
  | { report: "ended"; viewer: string };

/** WebRTC for all viewers of this process. */
export type Media = {
  /** Undefined: the offer cannot be read. Rejects when the thread ends. */
  watch(viewer: string, stream: string, offer: string, onEnded: () => void): Promise<string | undefined>;
  picture(stream: string, picture: Picture): void;
  end(viewer: string): void;
  forget(stream: string): void;
  close(): Promise<void>;
};

/** Next to this file, as TypeScript or built. */
const THREAD = `./media-thread${extname(import.meta.url)}`;
const MAX_THREAD_MEMORY_MB = 512;

type Viewer = { onEnded(): void; answer: PromiseWithResolvers<string | undefined> };

/**
 * WebRTC runs in a thread of its own: a packet that makes the library fail ends only the thread, and the encryption for
 * many viewers does not keep devices waiting. It starts with the first viewer. While it is behind, pictures are left out.
 */
export function openMedia(place: MediaPlace, onFault: (error: unknown) => void): Media {
  let thread: Worker | undefined;
  const viewers = new Map<string, Viewer>();
  let backlog = createBacklog();
  let isClosed = false;

  function take(report: MediaReport): void {
    const viewer = viewers.get(report.viewer);
    if (report.report === "answer") viewer?.answer.resolve(report.answer);
    else {
      viewers.delete(report.viewer);
      viewer?.answer.resolve(undefined);
      viewer?.onEnded();
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
      const left = [...viewers.values()];
      viewers.clear();
      for (const { answer, onEnded } of left) {
        answer.reject(new Error("The thread for video has ended."));
        onEnded();
      }
    });
    return started;
  }
  const send = (order: MediaOrder, transfer: ArrayBuffer[] = []): void => thread?.postMessage(order, transfer);

  return {
    watch(viewer, stream, offer, onEnded) {
      if (isClosed) return Promise.resolve(undefined);
      thread ??= start();
      const answer = Promise.withResolvers<string | undefined>();
      answer.promise.catch(() => {});
      viewers.set(viewer, { onEnded, answer });
      send({ order: "watch", viewer, stream, offer, place });
      return answer.promise;
    },
    picture(stream, { tMs, isKey, units }) {
      const lengths = units.map(({ length }) => length);
      const size = lengths.reduce((sum, length) => sum + length, 0);
      if (!thread || !backlog.add(stream, isKey, size)) return;
      // Its own memory, which then belongs to the thread. One piece: many small ones take long to hand over.
      const bytes = new Uint8Array(size);
      let at = 0;
      for (const unit of units) {
        bytes.set(unit, at);
        at += unit.length;
      }
      send({ order: "picture", stream, tMs, isKey, bytes, lengths }, [bytes.buffer]);
    },
    end: (viewer) => send({ order: "end", viewer }),
    forget(stream) {
      backlog.forget(stream);
      send({ order: "forget", stream });
    },
    async close() {
      isClosed = true;
      await thread?.terminate();
    },
  };
}
