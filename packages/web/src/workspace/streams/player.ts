import type { StreamNow } from "@backplane/contract/devices";
import { type Counters, CURVE_S, countersOf, delayOf, figuresBetween, median } from "./figures.ts";
import { createPlayback, type Player, type PlayerState } from "./playback.ts";
import { openWhep, type Whep } from "./whep.ts";

const LOOK_MS = 1_000;
/** How often the server is asked: while all is well, and while nothing comes. */
const ASK_MS = 5_000;
const STALLED_MS = 1_500;
/** Nothing comes although the server has pictures: the connection is made anew. */
const GIVE_UP_MS = 6_000;

/** Shows a stream in a video element, and goes on trying while it is open. `path`: of the stream. */
export function openPlayer(path: string, video: HTMLVideoElement): Player {
  let whep: Whep | undefined;
  let before: Counters | undefined;
  const delays: number[] = [];
  const playback = createPlayback(path, video, {
    connect,
    disconnect,
    isConnected: () => whep !== undefined,
    onPicture({ rtpTimestamp, expectedDisplayTime }) {
      if (rtpTimestamp === undefined) return;
      const serverMs = performance.timeOrigin + expectedDisplayTime + playback.offset.ms();
      delays.push(delayOf(rtpTimestamp, serverMs));
    },
  });

  function disconnect(): void {
    whep?.close();
    whep = undefined;
    before = undefined;
  }

  async function connect(): Promise<void> {
    const signal = playback.begin();
    const answer = await openWhep(
      `${path}/whep`,
      {
        track(track) {
          video.srcObject = new MediaStream([track]);
          void video.play().catch(() => {});
        },
        ended: () => !signal.aborted && void playback.ask().then(() => !signal.aborted && void connect()),
      },
      signal,
    );
    if (playback.isClosed() || signal.aborted) {
      if (answer.ok) answer.value.close();
      return;
    }
    if (!answer.ok) return playback.retry(answer.fault);
    whep = answer.value;
    playback.awaitPicture();
    await playback.ask();
    if (!signal.aborted) playback.later(() => void look(signal), LOOK_MS);
  }

  async function look(signal: AbortSignal): Promise<void> {
    const stats = await whep?.connection.getStats();
    if (signal.aborted || !stats) return;
    const now = countersOf(stats.values(), performance.now());
    const figures = before && now ? figuresBetween(before, now) : undefined;
    before = now;
    const stalledMs = playback.stalledMs();
    if (stalledMs > STALLED_MS || playback.askedAgoMs() > ASK_MS) await playback.ask();
    if (signal.aborted) return;
    const state = playback.state();
    const past = figures ? [...state.past, figures].slice(-CURVE_S) : state.past;
    const delayMs = median(delays.splice(0));
    if (stalledMs > STALLED_MS && state.connectedAtMs !== undefined)
      playback.set({ ...troubleOf(state.stream), code: undefined, figures, past, delayMs: undefined });
    else playback.set({ figures, past, ...(delayMs === undefined ? {} : { delayMs }) });
    if (stalledMs > GIVE_UP_MS && state.stream?.state === "playing") return void connect();
    playback.later(() => void look(signal), LOOK_MS);
  }

  playback.start();
  return {
    ...playback,
    close() {
      playback.close();
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
