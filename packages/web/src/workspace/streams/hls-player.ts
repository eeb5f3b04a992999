import type { HlsViewer } from "@backplane/contract/devices";
import type Hls from "hls.js/light";
import type { LevelDetails } from "hls.js/light";
import { type Answer, call, type Fault } from "../../calls/call.ts";
import { CURVE_S, type Figures } from "./figures.ts";
import { createPlayback, type Player } from "./playback.ts";

/** A player that can look back. Times are by the clock of the server. */
export type HlsPlayer = Player & {
  /** Go to what was `behindMs` ago; 0: as near to now as it can. */
  goBack(behindMs: number): void;
  pause(): void;
  resume(): void;
};

const LOOK_MS = 500;
const ASK_MS = 5_000;
const STALLED_MS = 4_000;
/** For the first picture, as long as a camera may need. */
const OPEN_TIMEOUT_MS = 25_000;
/** A player that should be live and is this much later than it has to be jumps forward. */
const LATE_S = 4;
const OPTIONS = {
  ...{ enableWorker: false, lowLatencyMode: false, liveDurationInfinity: true },
  ...{ liveSyncDurationCount: 2, maxBufferLength: 15, backBufferLength: 60 },
};

/** `path`: of the stream. */
export const askForHls = (path: string, signal?: AbortSignal): Promise<Answer<HlsViewer>> =>
  call<HlsViewer>({ method: "POST", path: `${path}/hls`, timeoutMs: OPEN_TIMEOUT_MS, ...(signal ? { signal } : {}) });

/** Also while the page is being left. */
export const endHls = (playlist: string): void =>
  void fetch(playlist.replace(/\/[^/]*$/, ""), { method: "DELETE", keepalive: true }).catch(() => {});

/** Shows a stream by HLS, and goes on trying while it is open. The library is loaded when it is first needed. */
export function openHlsPlayer(path: string, video: HTMLVideoElement, behindMs: number): HlsPlayer {
  let hls: Hls | undefined;
  let playlist: string | undefined;
  let details: LevelDetails | undefined;
  let wantedMs = behindMs;
  let isPaused = false;
  let before: Counted | undefined;
  let bytes = 0;
  const playback = createPlayback(path, video, { connect, disconnect, isConnected: () => hls !== undefined });
  const { ask, set, retry } = playback;

  function disconnect(): void {
    hls?.destroy();
    hls = undefined;
    details = undefined;
    before = undefined;
    if (playlist !== undefined) endHls(playlist);
    playlist = undefined;
  }

  async function connect(): Promise<void> {
    const signal = playback.begin();
    const { default: Library } = await import("hls.js/light");
    if (signal.aborted || playback.isClosed()) return;
    if (!Library.isSupported()) return retry({ ...FAULT, status: 404, code: "unsupported", title: NO_HLS });
    const answer = await askForHls(path, signal);
    if (signal.aborted || playback.isClosed()) {
      if (answer.ok) endHls(answer.value.playlist);
      return;
    }
    if (!answer.ok) return retry(answer.fault);
    playlist = answer.value.playlist;
    await ask();
    if (signal.aborted) return;
    playback.awaitPicture();
    hls = new Library(OPTIONS);
    let isFirst = true;
    hls.on(Library.Events.LEVEL_UPDATED, (_event, updated) => {
      details = updated.details;
    });
    hls.on(Library.Events.FRAG_BUFFERED, () => {
      if (isFirst && wantedMs > 0) goTo(wantedMs);
      isFirst = false;
    });
    hls.on(Library.Events.FRAG_LOADED, (_event, { frag }) => {
      bytes += frag.stats.total;
    });
    hls.on(Library.Events.ERROR, (_event, { fatal, type, details: which, response }) => {
      if (!fatal || signal.aborted) return;
      if (type === Library.ErrorTypes.MEDIA_ERROR && playback.state().phase === "playing")
        return hls?.recoverMediaError();
      void ask().then(() => {
        if (signal.aborted) return;
        const { stream } = playback.state();
        const detail = stream?.state === "refused" ? stream.reason : undefined;
        retry({
          ...FAULT,
          status: response?.code === 404 ? 0 : (response?.code ?? 0),
          code: which,
          title: STOPPED,
          detail,
        });
      });
    });
    hls.attachMedia(video);
    hls.loadSource(playlist);
    void video.play().catch(() => {});
    playback.later(() => void look(signal), LOOK_MS);
  }

  const serverMs = (): number => Date.now() + playback.offset.ms();

  /** Undefined: the server does not say when its pictures were. */
  function behind(): number | undefined {
    const shown = hls?.playingDate;
    if (shown) return serverMs() - shown.getTime();
    return hls && hls.latency > 0 ? hls.latency * 1_000 : undefined;
  }

  function goTo(backMs: number): void {
    const [first] = details?.fragments ?? [];
    const last = details?.fragments.at(-1);
    if (!hls || !first || !last) return;
    const live = hls.liveSyncPosition ?? last.start;
    if (backMs <= 0) {
      video.currentTime = live;
      return;
    }
    const dated = last.programDateTime;
    const target = dated === null ? last.end - backMs / 1_000 : last.start + (serverMs() - backMs - dated) / 1_000;
    video.currentTime = Math.min(live, Math.max(first.start + 0.05, target));
  }

  async function look(signal: AbortSignal): Promise<void> {
    const stalledMs = playback.stalledMs();
    if (playback.askedAgoMs() > ASK_MS || stalledMs > STALLED_MS) await ask();
    if (signal.aborted) return;
    const state = playback.state();
    const delayMs = behind();
    const live = hls?.liveSyncPosition ?? undefined;
    if (wantedMs === 0 && !isPaused && live !== undefined && video.currentTime < live - LATE_S) goTo(0);
    const frames = video.getVideoPlaybackQuality().totalVideoFrames;
    const now = { atMs: performance.now(), frames, bytes };
    const isSecond = before === undefined || now.atMs - before.atMs >= 2 * LOOK_MS - 50;
    const figures = isSecond && before ? figuresOf(before, now) : state.figures;
    if (isSecond) before = now;
    const past = isSecond && figures ? [...state.past, figures].slice(-CURVE_S) : state.past;
    if (stalledMs > STALLED_MS && !isPaused && state.connectedAtMs !== undefined) {
      const words = state.stream?.reason ?? "No pictures are coming. Trying again…";
      set({ phase: "lost", words, figures, past, delayMs: undefined });
    } else set({ figures, past, delayMs });
    playback.later(() => void look(signal), LOOK_MS);
  }

  playback.start();
  return {
    ...playback,
    goBack(backMs) {
      wantedMs = backMs;
      goTo(backMs);
      if (!isPaused) void video.play().catch(() => {});
    },
    pause() {
      isPaused = true;
      video.pause();
      set({});
    },
    resume() {
      isPaused = false;
      playback.awaitPicture();
      void video.play().catch(() => {});
      set({});
    },
    close() {
      playback.close();
      video.removeAttribute("src");
    },
  };
}

const FAULT: Fault = { status: 0, code: "", title: "", detail: undefined, errors: [], retryAfterS: undefined };
const NO_HLS = "This browser cannot play HLS from a page";
const STOPPED = "The stream has stopped. Trying again…";

type Counted = { atMs: number; frames: number; bytes: number };

function figuresOf(before: Counted, now: Counted): Figures {
  const seconds = (now.atMs - before.atMs) / 1_000;
  return {
    ...{ fps: (now.frames - before.frames) / seconds, kbitPerS: ((now.bytes - before.bytes) * 8) / 1_000 / seconds },
    ...{
      roundTripMs: undefined,
      jitterBufferMs: undefined,
      lostPct: undefined,
      freezes: undefined,
      decoded: now.frames,
    },
  };
}
