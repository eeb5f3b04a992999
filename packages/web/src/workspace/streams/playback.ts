import type { StreamNow } from "@backplane/contract/devices";
import { createListeners } from "@backplane/kit/concurrency";
import { call, type Fault } from "../../calls/call.ts";
import { faultWords } from "../../calls/fault-words.ts";
import { type ClockOffset, createClockOffset, type Figures } from "./figures.ts";

/** `lost`: what was there has stopped, and comes back by itself. `refused`: there is none, and `code` says of which kind. */
export type Phase = "connecting" | "playing" | "lost" | "refused";

/** The same object until something changes. */
export type PlayerState = {
  phase: Phase;
  words: string | undefined;
  code: string | undefined;
  /** The stream as the server has it. */
  stream: StreamNow | undefined;
  figures: Figures | undefined;
  /** Of the last minute, one per second. */
  past: readonly Figures[];
  /** From the server to the screen, measured. */
  delayMs: number | undefined;
  connectedAtMs: number | undefined;
};

export type Player = {
  state(): PlayerState;
  onChange(listener: () => void): () => void;
  again(): void;
  close(): void;
};

const RETRY_MS = 1_000;
const MAX_RETRY_MS = 8_000;
/** Nothing that waiting would change. */
const FINAL: ReadonlySet<number> = new Set([401, 403, 404]);

const AT_FIRST: PlayerState = {
  ...{ phase: "connecting", words: undefined, code: undefined, stream: undefined, figures: undefined },
  ...{ past: [], delayMs: undefined, connectedAtMs: undefined },
};

/** What differs between the ways to get a stream. */
type Way = {
  isConnected(): boolean;
  connect(): Promise<void>;
  disconnect(): void;
  onPicture?(frame: VideoFrameCallbackMetadata): void;
};

/** What all players do: say how it goes, ask the server how the stream is, try again, and leave the camera with the page. */
export type Playback = Player & {
  set(change: Partial<PlayerState>): void;
  readonly offset: ClockOffset;
  isClosed(): boolean;
  /** The next look or try; the one before is dropped. */
  later(work: () => void, ms: number): void;
  connect(): Promise<void>;
  disconnect(): void;
  /** Until `disconnect`, from here on. */
  begin(): AbortSignal;
  retry(fault: Fault): void;
  /** How the stream is on the server, and what time it is there. */
  ask(): Promise<void>;
  askedAgoMs(): number;
  /** Since the last picture, or since `awaitPicture`. */
  stalledMs(): number;
  awaitPicture(): void;
  start(): void;
};

/** `path`: of the stream. */
export function createPlayback(path: string, video: HTMLVideoElement, way: Way): Playback {
  const listeners = createListeners((error) => reportError(error));
  const offset = createClockOffset();
  const leaving = new AbortController();
  let state = AT_FIRST;
  let connection = new AbortController();
  let shownAtMs = 0;
  let askedAtMs = 0;
  let retryMs = RETRY_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  function set(change: Partial<PlayerState>): void {
    state = { ...state, ...change };
    listeners.emit();
  }

  function later(work: () => void, ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(work, ms);
  }

  function disconnect(): void {
    clearTimeout(timer);
    connection.abort();
    way.disconnect();
  }

  const connect = (): Promise<void> => way.connect();

  function retry(fault: Fault): void {
    disconnect();
    const isFinal = FINAL.has(fault.status);
    const isLost = state.connectedAtMs !== undefined && !isFinal && fault.code !== "codec-refused";
    const words = fault.detail ?? faultWords(fault);
    set({ phase: isLost ? "lost" : "refused", words, code: fault.code, figures: undefined });
    if (isFinal) return;
    later(() => void connect(), retryMs);
    retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
  }

  async function ask(): Promise<void> {
    askedAtMs = performance.now();
    const sentMs = Date.now();
    const answer = await call<StreamNow>({ method: "GET", path });
    if (isClosed) return;
    if (answer.ok) {
      offset.take(sentMs, Date.now(), answer.value.nowMs);
      set({ stream: answer.value });
    } else if (FINAL.has(answer.fault.status)) retry(answer.fault);
  }

  function onFrame(_nowMs: number, frame: VideoFrameCallbackMetadata): void {
    if (isClosed) return;
    video.requestVideoFrameCallback(onFrame);
    // The last picture of a connection that was ended may come after its end.
    if (!way.isConnected()) return;
    shownAtMs = performance.now();
    way.onPicture?.(frame);
    if (state.phase === "playing") return;
    retryMs = RETRY_MS;
    set({ phase: "playing", words: undefined, code: undefined, connectedAtMs: state.connectedAtMs ?? Date.now() });
  }

  return {
    ...{ set, offset, later, connect, disconnect, retry, ask },
    state: () => state,
    onChange: listeners.add,
    isClosed: () => isClosed,
    begin() {
      disconnect();
      connection = new AbortController();
      return connection.signal;
    },
    askedAgoMs: () => performance.now() - askedAtMs,
    stalledMs: () => performance.now() - shownAtMs,
    awaitPicture() {
      shownAtMs = performance.now();
    },
    start() {
      video.requestVideoFrameCallback(onFrame);
      void connect();
      // The camera is left alone at once, not when the server notices that the page is gone.
      addEventListener("pagehide", disconnect, leaving);
      addEventListener("pageshow", ({ persisted }) => persisted && void connect(), leaving);
    },
    again() {
      retryMs = RETRY_MS;
      set({ ...AT_FIRST, stream: state.stream });
      void connect();
    },
    close() {
      isClosed = true;
      leaving.abort();
      disconnect();
    },
  };
}
