import { DEVICES_LIMITS, type StreamStatus } from "@backplane/contract/devices";
import type { Clock } from "@backplane/kit/clock";
import { createAudience, type Leave } from "./audience.ts";
import type { HlsFile, NoFile } from "./hls/files.ts";
import { createPacer } from "./pacer.ts";
import type { Picture } from "./picture.ts";
import type { StreamEvents } from "./source.ts";

const { sourceRetryMs, maxSourceRetryMs, streamStartMs, streamSilentMs } = DEVICES_LIMITS;
/** A stream that has played for this long is opened again at once when it ends. */
const GOOD_MS = 10_000;

/** Gets the pictures of one stream for all who look at it here: from the first of them to a while after the last. */
export type Puller = {
  status(): StreamStatus;
  viewers(): number;
  /** Somebody looks, until `leave`. `ready`: the status when there is a picture, or when it is known that there is none. */
  join(): { ready: Promise<StreamStatus>; leave: Leave };
  /** There may be pictures now: what waits to be opened again is opened. */
  again(): void;
  close(): void;
};

/** A stream that is got here, and its files for players of HLS. Undefined: there is none of this name, or none any more. */
export type Pulled = Puller & {
  file(name: string): Promise<HlsFile | NoFile | undefined>;
  /** Of the longest part, in ms: players ask at least this often. */
  longestMs(): number;
};

export type PullerOptions = {
  open(events: StreamEvents): { close(): void };
  now: Clock;
  /** Its time is by our clock. */
  onPicture(picture: Picture): void;
  onStatus(status: StreamStatus): void;
  /** Nobody looks any more. */
  onEnd(): void;
};

export function createPuller({ open, now, onPicture, onStatus, onEnd }: PullerOptions): Puller {
  let status: StreamStatus = { state: "connecting" };
  let codec: { codec?: string; profile?: string } = {};
  let opened: { close(): void } | undefined;
  let isClosed = false;
  let retryMs: number = sourceRetryMs;
  let playingSinceMs = 0;
  let retry: NodeJS.Timeout | undefined;
  let silence: NodeJS.Timeout | undefined;
  const pacer = createPacer(now);
  const waiting = new Set<(status: StreamStatus) => void>();
  const audience = createAudience(() => {
    if (isClosed) return;
    stop();
    onEnd();
  });

  function set(next: StreamStatus): void {
    const isSame = JSON.stringify(next) === JSON.stringify(status);
    status = next;
    if (!isSame) onStatus(next);
    if (next.state === "connecting") return;
    for (const tell of waiting) tell(next);
    waiting.clear();
  }

  function connect(): void {
    clearTimeout(retry);
    retry = undefined;
    pacer.restart();
    codec = {};
    let isMine = true;
    let hasKey = false;
    const lose = (next: StreamStatus): void => {
      if (!isMine || isClosed) return;
      isMine = false;
      clearTimeout(silence);
      opened = undefined;
      if (hasKey && now() - playingSinceMs > GOOD_MS) retryMs = sourceRetryMs;
      set(next);
      retry = setTimeout(connect, next.fault === "codec" ? maxSourceRetryMs : retryMs).unref();
      retryMs = Math.min(2 * retryMs, maxSourceRetryMs);
    };
    const watch = (): void => {
      clearTimeout(silence);
      silence = setTimeout(() => {
        const before = opened;
        lose({ state: "refused", reason: `The camera has sent no picture for ${streamSilentMs / 1_000} s.` });
        before?.close();
      }, streamSilentMs).unref();
    };
    watch();
    const made = open({
      codec({ name, profile }) {
        codec = { codec: name, ...(profile === undefined ? {} : { profile }) };
        if (isMine && hasKey) set({ state: "playing", ...codec });
      },
      picture(picture) {
        if (!isMine || isClosed || (!hasKey && !picture.isKey)) return;
        watch();
        onPicture({ ...picture, tMs: pacer.of(picture.tMs) });
        if (hasKey) return;
        hasKey = true;
        playingSinceMs = now();
        set({ state: "playing", ...codec });
      },
      ended: (reason) => lose({ state: "refused", reason }),
      refused: (name) => lose({ state: "refused", fault: "codec", codec: name, reason: codecWords(name) }),
    });
    if (isMine) opened = made;
    else made.close();
  }

  function stop(): void {
    if (isClosed) return;
    isClosed = true;
    for (const timer of [retry, silence]) clearTimeout(timer);
    audience.close();
    opened?.close();
    for (const tell of waiting) tell({ state: "refused", reason: "The stream was ended." });
    waiting.clear();
  }

  function again(): void {
    if (opened || retry === undefined) return;
    set({ state: "connecting" });
    connect();
  }

  return {
    status: () => status,
    viewers: audience.count,
    again,
    join() {
      const leave = audience.join();
      if (retry !== undefined) again();
      else if (!opened && !isClosed) connect();
      return { ready: readyOf(() => status, waiting), leave };
    },
    close: stop,
  };
}

function readyOf(status: () => StreamStatus, waiting: Set<(status: StreamStatus) => void>): Promise<StreamStatus> {
  if (status().state !== "connecting") return Promise.resolve(status());
  return new Promise((resolve) => {
    const reason = `No picture has come within ${streamStartMs / 1_000} s. Check the camera and its address.`;
    const timer = setTimeout(() => {
      waiting.delete(tell);
      resolve({ state: "refused", reason });
    }, streamStartMs);
    const tell = (now: StreamStatus) => {
      clearTimeout(timer);
      resolve(now);
    };
    waiting.add(tell);
  });
}

const codecWords = (name: string): string =>
  `The camera sends ${name}, which browsers do not play with little delay. Set the camera to H.264 without B-frames, or convert it here.`;
