import type { Ack, Recording, RecordingMark, Replay } from "@backplane/contract/devices";
import type { Clock } from "@backplane/kit/clock";
import { createListeners } from "@backplane/kit/concurrency";
import { createHub, type OpenHub } from "../hub/hub.ts";
import type { SharedControl } from "../services.ts";
import { openPlayer } from "./player.ts";
import { createReplayClock, type ReplayChange } from "./replay-clock.ts";
import type { ChannelName, RecordingSource } from "./source.ts";

/** What is shorter is not repeated: nobody would see anything. */
const MIN_LOOP_MS = 200;

/** The same functions as those of the live hub, with recorded devices, samples and lines at a time that can be chosen. */
export type ReplayHub = OpenHub & {
  replay(): Replay;
  /** Every channel that a device had at any time of it. */
  recorded(): ChannelName[];
  change(change: ReplayChange): void;
  /** It jumped: what readers have is not what comes before what they will get. */
  onJump(listener: () => void): () => void;
  /** The clock changed, perhaps by itself. */
  onReplay(listener: (replay: Replay) => void): () => void;
  end(): Promise<void>;
};

export type ReplayOptions = {
  source: RecordingSource;
  /** Of what is in memory: null. */
  recording: Pick<Recording, "id" | "name"> | null;
  marks: RecordingMark[];
  gaps: [number, number][];
  /** Where it begins, paused; at its start unless given. */
  atMs?: number | undefined;
  live: OpenHub;
  now: Clock;
  onFault(error: unknown): void;
};

export async function openReplay(options: ReplayOptions): Promise<ReplayHub> {
  const { source, recording, marks, gaps, live, now, onFault } = options;
  const { startMs, endMs } = source;
  const clock = createReplayClock(source, now);
  clock.set({ atMs: options.atMs });
  const player = await openPlayer(source, clock, onFault);
  const hub = createHub({
    ...{ view: player.view, control: replayControl(live.control), recorder: live.recorder, sources: live.sources },
    ...{ now: clock.at, onFault },
  });
  const changes = createListeners<Replay>(onFault);
  const replay = (): Replay => ({
    ...{ recording: recording?.id ?? null, name: recording?.name ?? null, marks, gaps },
    ...{ startMs, endMs, ...clock.state() },
  });
  function change(wanted: ReplayChange): void {
    clock.set(wanted);
    if (wanted.atMs === undefined) player.wake();
    else player.jump();
    changes.emit(replay());
  }
  player.onEnd(() => {
    if (clock.state().loop && endMs - startMs >= MIN_LOOP_MS) return change({ atMs: startMs });
    clock.set({ atMs: endMs, speed: 0 });
    changes.emit(replay());
  });
  return {
    ...hub,
    ...{ replay, change, recorded: player.recorded, onJump: player.onJump, onReplay: changes.add },
    async end() {
      hub.close();
      await player.close();
      await source.close();
    },
  };
}

/** Answers to a command that would not have been sent to this device now. */
const NOT_SENT: ReadonlySet<Ack["code"]> = new Set(["denied", "device-unknown", "unsupported"]);

/** What is seen is not what is there: only stopping and letting go reach the devices. */
function replayControl(live: SharedControl): SharedControl {
  const detail = "This page shows a recording. Go back to live first.";
  const refused = (): Ack => ({ ok: false, code: "replaying", detail, tookMs: 0 });
  return {
    ...live,
    take: async () => refused(),
    renew: refused,
    arm: refused,
    clear: async () => refused(),
    press: () => {},
    async command(target, command, actor, onAccepted) {
      const ack = await live.command(target, command, { ...actor, mayOnlyStop: true }, onAccepted);
      return NOT_SENT.has(ack.code) ? refused() : ack;
    },
  };
}
