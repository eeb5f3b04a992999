import type { StreamNow } from "@backplane/contract/devices";
import { createListeners } from "@backplane/kit/concurrency";
import { call, type Fault } from "../../calls/call.ts";
import { faultWords } from "../../calls/fault-words.ts";
import {
  type Counters,
  CURVE_S,
  countersOf,
  createClockOffset,
  delayOf,
  type Figures,
  figuresBetween,
  median,
} from "./figures.ts";
import { openWhep, type Whep } from "./whep.ts";

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

const LOOK_MS = 1_000;
/** How often the server is asked: while all is well, and while nothing comes. */
const ASK_MS = 5_000;
const STALLED_MS = 1_500;
/** Nothing comes although the server has pictures: the connection is made anew. */
const GIVE_UP_MS = 6_000;
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 8_000;
/** Nothing that waiting would change. */
export const FINAL: ReadonlySet<number> = new Set([401, 403, 404]);

export const AT_FIRST: PlayerState = {
  ...{ phase: "connecting", words: undefined, code: undefined, stream: undefined, figures: undefined },
  ...{ past: [], delayMs: undefined, connectedAtMs: undefined },
};

/** Shows a stream in a video element, and goes on trying while it is open. `path`: of the stream. */
export function openPlayer(path: string, video: HTMLVideoElement): Player {
  const listeners = createListeners((error) => reportError(error));
  const offset = createClockOffset();
  let state = AT_FIRST;
  let whep: Whep | undefined;
  let ending = new AbortController();
  let before: Counters | undefined;
  let shownAtMs = 0;
  let askedAtMs = 0;
  let retryMs = RETRY_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const delays: number[] = [];
  let isClosed = false;

  function set(change: Partial<PlayerState>): void {
    state = { ...state, ...change };
    listeners.emit();
  }

  function disconnect(): void {
    clearTimeout(timer);
    ending.abort();
    whep?.close();
    whep = undefined;
    before = undefined;
  }

  function retry(fault: Fault): void {
    const isFinal = FINAL.has(fault.status);
    const isLost = state.connectedAtMs !== undefined && !isFinal && fault.code !== "codec-refused";
    set({
      phase: isLost ? "lost" : "refused",
      words: fault.detail ?? faultWords(fault),
      code: fault.code,
      figures: undefined,
    });
    if (isFinal) return;
    timer = setTimeout(() => void connect(), retryMs);
    retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
  }

  async function connect(): Promise<void> {
    disconnect();
    ending = new AbortController();
    const { signal } = ending;
    const answer = await openWhep(
      `${path}/whep`,
      {
        track(track) {
          video.srcObject = new MediaStream([track]);
          void video.play().catch(() => {});
        },
        ended: () => !signal.aborted && void ask().then(() => !signal.aborted && void connect()),
      },
      signal,
    );
    if (isClosed || signal.aborted) {
      if (answer.ok) answer.value.close();
      return;
    }
    if (!answer.ok) return retry(answer.fault);
    whep = answer.value;
    shownAtMs = performance.now();
    await ask();
    if (!signal.aborted) timer = setTimeout(() => void look(signal), LOOK_MS);
  }

  /** How the stream is on the server, and what time it is there. */
  async function ask(): Promise<void> {
    askedAtMs = performance.now();
    const sentMs = Date.now();
    const answer = await call<StreamNow>({ method: "GET", path });
    if (isClosed) return;
    if (answer.ok) {
      offset.take(sentMs, Date.now(), answer.value.nowMs);
      set({ stream: answer.value });
    } else if (FINAL.has(answer.fault.status)) {
      disconnect();
      retry(answer.fault);
    }
  }

  async function look(signal: AbortSignal): Promise<void> {
    const stats = await whep?.connection.getStats();
    if (signal.aborted || !stats) return;
    const now = countersOf(stats.values(), performance.now());
    const figures = before && now ? figuresBetween(before, now) : undefined;
    before = now;
    const stalledMs = performance.now() - shownAtMs;
    if (stalledMs > STALLED_MS || performance.now() - askedAtMs > ASK_MS) await ask();
    if (signal.aborted) return;
    const past = figures ? [...state.past, figures].slice(-CURVE_S) : state.past;
    const delayMs = median(delays.splice(0));
    if (stalledMs > STALLED_MS && state.connectedAtMs !== undefined)
      set({ ...troubleOf(state.stream), code: undefined, figures, past, delayMs: undefined });
    else set({ figures, past, ...(delayMs === undefined ? {} : { delayMs }) });
    if (stalledMs > GIVE_UP_MS && state.stream?.state === "playing") return void connect();
    timer = setTimeout(() => void look(signal), LOOK_MS);
  }

  function onFrame(_nowMs: number, frame: VideoFrameCallbackMetadata): void {
    if (isClosed) return;
    video.requestVideoFrameCallback(onFrame);
    // The last picture of a connection that was ended may come after its end.
    if (!whep) return;
    shownAtMs = performance.now();
    if (frame.rtpTimestamp !== undefined) {
      const serverMs = performance.timeOrigin + frame.expectedDisplayTime + offset.ms();
      delays.push(delayOf(frame.rtpTimestamp, serverMs));
    }
    if (state.phase !== "playing") {
      retryMs = RETRY_MS;
      set({ phase: "playing", words: undefined, code: undefined, connectedAtMs: state.connectedAtMs ?? Date.now() });
    }
  }
  video.requestVideoFrameCallback(onFrame);
  void connect();
  // The camera is left alone at once, not when the server notices that the page is gone.
  const leaving = new AbortController();
  addEventListener("pagehide", disconnect, leaving);
  addEventListener("pageshow", ({ persisted }) => persisted && void connect(), leaving);

  return {
    state: () => state,
    onChange: listeners.add,
    again() {
      retryMs = RETRY_MS;
      set({ ...AT_FIRST, stream: state.stream });
      void connect();
    },
    close() {
      isClosed = true;
      leaving.abort();
      disconnect();
      video.srcObject = null;
    },
  };
}

/** As the server knows it; a codec is named and does not get better by waiting. */
function troubleOf(stream: StreamNow | undefined): Pick<PlayerState, "phase" | "words"> {
  const isKnown = stream?.state === "refused" && stream.reason !== undefined;
  const words = isKnown ? stream.reason : "No pictures are coming. Trying again…";
  return { phase: stream?.fault === "codec" ? "refused" : "lost", words };
}
