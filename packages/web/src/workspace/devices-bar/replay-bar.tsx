import "./replay-bar.css";
import { DEVICES_LIMITS, type RecordingMark, type Replay } from "@backplane/contract/devices";
import { useEffect, useRef, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { Segmented } from "../../parts/segmented.tsx";
import { Select } from "../../parts/select.tsx";
import { type WorkspaceName, workspaceAddress } from "../calls.ts";
import { useClock, useDeviceList, useDevicesStatus } from "../device-panel/use-devices.ts";
import type { ChangeReplay, OpenDevices } from "../devices/devices.ts";
import { markBeside, nextSpeed, placeOf, SPEEDS, type Track, timeWords } from "./replay-track.ts";
import { useBarKeys } from "./use-bar-keys.ts";
import { wantedReplay } from "./use-opened-devices.ts";

const LOOK_BACK_MS = 30_000;
const { keptMs } = DEVICES_LIMITS;

type Props = { workspace: WorkspaceName; opened: OpenDevices; isNarrow: boolean };

/** Below all panels: the last 10 minutes, or what is replayed. There is one time for the whole page. */
export function ReplayBar({ workspace, opened, isNarrow }: Props) {
  const { devices } = opened;
  const { replay, connection } = useDevicesStatus(devices);
  const list = useDeviceList(devices);
  const [fault, setFault] = useState<string>();

  const ask = async (change: ChangeReplay | "live") => {
    const ack = await (change === "live" ? devices.goLive() : devices.replay(change));
    setFault(ack.ok ? undefined : (ack.detail ?? "The replay was refused."));
  };
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    const recording = wantedReplay();
    if (recording === undefined || connection !== "open") return;
    window.history.replaceState(null, "", window.location.pathname);
    void latest.current({ recording, speed: 1 });
  }, [connection]);

  if (!replay && list.length === 0) return null;
  const address = workspaceAddress(workspace);
  return (
    <section className="replay-bar" aria-label="Time">
      {replay ? (
        <Replaying {...{ opened, replay, isNarrow, ask }} />
      ) : (
        <Live {...{ opened, address, isNarrow }} onBack={(atMs) => void ask({ recording: null, atMs, speed: 1 })} />
      )}
      {fault !== undefined && (
        <span className="replay-fault" role="alert">
          {fault}
        </span>
      )}
    </section>
  );
}

type LiveProps = { opened: OpenDevices; address: string; isNarrow: boolean; onBack: (atMs: number) => void };

function Live({ opened, address, isNarrow, onBack }: LiveProps) {
  const nowMs = useClock(opened, 1_000);
  const marks = useMarks(opened);
  const track: Track = { startMs: nowMs - keptMs, endMs: nowMs, marks, gaps: [] };
  return (
    <>
      <span className="state ok">Live</span>
      {!isNarrow && <span className="hint replay-kept">the last 10 minutes are kept</span>}
      <TrackPicture track={track} atMs={nowMs} isLive />
      <Button size="small" icon="previous" label="Look back" onClick={() => onBack(nowMs - LOOK_BACK_MS)}>
        {isNarrow ? "" : "Look back"}
      </Button>
      {!isNarrow && (
        <a className="btn small" href={`${address}/recordings`}>
          Recordings
        </a>
      )}
    </>
  );
}

const MAX_MARKS = 200;

/** Warnings and errors that devices said. */
function useMarks({ devices }: OpenDevices): RecordingMark[] {
  const [marks, setMarks] = useState<RecordingMark[]>([]);
  useEffect(
    () =>
      devices.onLines(({ lines, isHistory }) => {
        const loud = lines
          .filter(({ level }) => level === "warn" || level === "error" || level === "fatal")
          .map(({ tMs, level, text }) => ({ tMs, level, text }));
        if (loud.length > 0 || isHistory)
          setMarks((before) => [...(isHistory ? [] : before), ...loud].slice(-MAX_MARKS));
      }),
    [devices],
  );
  return marks;
}

type ReplayingProps = {
  opened: OpenDevices;
  replay: Replay;
  isNarrow: boolean;
  ask: (change: ChangeReplay | "live") => Promise<void>;
};

const SEEK_EVERY_MS = 100;
const SPEED_CHOICES = SPEEDS.map((speed) => [speed as number, `${speed}×`] as const);

function Replaying({ opened, replay, isNarrow, ask }: ReplayingProps) {
  const atMs = useClock(opened, 100);
  const isPlaying = replay.speed > 0;
  // Speed 0 is a pause: the speed before it is the one to go on with.
  const [speed, setSpeed] = useState(replay.speed || 1);
  useEffect(() => {
    if (replay.speed > 0) setSpeed(replay.speed);
  }, [replay.speed]);
  const seek = useSeek(ask);
  const play = () => {
    const isAtEnd = atMs >= replay.endMs;
    void ask(isPlaying ? { speed: 0 } : { speed, ...(isAtEnd ? { atMs: replay.startMs } : {}) });
  };
  const goToMark = (side: -1 | 1) => void ask({ atMs: markBeside(replay, atMs, side) });
  const changeSpeed = (wanted: number) => {
    setSpeed(wanted);
    if (isPlaying) void ask({ speed: wanted });
  };
  useBarKeys({
    ",": () => goToMark(-1),
    ".": () => goToMark(1),
    k: play,
    "[": () => changeSpeed(nextSpeed(speed, -1)),
    "]": () => changeSpeed(nextSpeed(speed, 1)),
    Home: () => void ask({ atMs: replay.startMs }),
    End: () => void ask({ atMs: replay.endMs }),
  });
  return (
    <>
      <span className="badge replaying">Replay</span>
      {!isNarrow && replay.name !== null && <span className="replay-name cut">{replay.name}</span>}
      <Tool icon="previous" label="Previous mark" onClick={() => goToMark(-1)} />
      <Tool icon={isPlaying ? "pause" : "play"} label={isPlaying ? "Pause" : "Play"} onClick={play} />
      <Tool icon="next" label="Next mark" onClick={() => goToMark(1)} />
      <span className="replay-when">{timeWords(atMs)}</span>
      <TrackPicture track={replay} atMs={atMs} onSeek={seek} />
      {isNarrow ? (
        <Select aria-label="Speed" value={speed} onChange={({ target: { value } }) => changeSpeed(Number(value))}>
          {SPEEDS.map((each) => (
            <option key={each} value={each}>
              {each}×
            </option>
          ))}
        </Select>
      ) : (
        <Segmented label="Speed" choices={SPEED_CHOICES} value={speed} onChange={changeSpeed} />
      )}
      <Tool icon="loop" label="Loop" isOn={replay.loop} onClick={() => void ask({ loop: !replay.loop })} />
      <Button look="primary" size="small" className="replay-live" onClick={() => void ask("live")}>
        Back to live
      </Button>
    </>
  );
}

type ToolProps = { icon: IconName; label: string; isOn?: boolean; onClick: () => void };

const Tool = ({ icon, label, isOn, onClick }: ToolProps) => (
  <button
    className={isOn ? "icon-btn small on" : "icon-btn small"}
    type="button"
    aria-label={label}
    aria-pressed={isOn}
    onClick={onClick}
  >
    <Icon name={icon} />
  </button>
);

/** While the handle is dragged, the last place of each moment is asked for. */
function useSeek(ask: ReplayingProps["ask"]): (atMs: number) => void {
  const waiting = useRef<{ atMs: number } | undefined>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => () => clearTimeout(timer.current), []);
  return (atMs) => {
    waiting.current = { atMs };
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      if (waiting.current) void latest.current(waiting.current);
    }, SEEK_EVERY_MS);
  };
}

type PictureProps = { track: Track; atMs: number; isLive?: boolean; onSeek?: (atMs: number) => void };

const SEEK_STEP_MS = 100;

function TrackPicture({ track, atMs, isLive = false, onSeek }: PictureProps) {
  const at = placeOf(track, atMs);
  return (
    <div className={isLive ? "replay-track live" : "replay-track"}>
      <i className="replay-line" />
      <i className="replay-done" style={{ width: `${at}%` }} />
      {track.gaps.map(([from, to]) => (
        <i
          key={from}
          className="replay-gap"
          style={{ left: `${placeOf(track, from)}%`, width: `${placeOf(track, to) - placeOf(track, from)}%` }}
        />
      ))}
      {track.marks
        .filter(({ tMs }) => tMs >= track.startMs)
        .map(({ tMs, level, text }, place) => (
          <i
            // biome-ignore lint/suspicious/noArrayIndexKey: two marks can be at one time
            key={`${tMs} ${place}`}
            className={`replay-mark ${level}`}
            title={text}
            style={{ left: `${placeOf(track, tMs)}%` }}
          />
        ))}
      {onSeek ? (
        <input
          type="range"
          aria-label="Time"
          aria-valuetext={timeWords(atMs)}
          min={track.startMs}
          max={track.endMs}
          step={SEEK_STEP_MS}
          value={Math.round(atMs)}
          onChange={({ target: { value } }) => onSeek(Number(value))}
        />
      ) : (
        <i className="replay-now" />
      )}
    </div>
  );
}
