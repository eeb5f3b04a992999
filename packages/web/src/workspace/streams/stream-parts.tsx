import type { RefObject } from "react";
import { useState } from "react";
import { call } from "../../calls/call.ts";
import { faultWords } from "../../calls/fault-words.ts";
import { useWork } from "../../calls/use-action.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { FaultLine } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Select } from "../../parts/select.tsx";
import { State, type Tone } from "../../parts/state.tsx";
import { lengthOf } from "../../parts/times.ts";
import type { WorkspaceName } from "../calls.ts";
import { streamPath } from "./choose-stream.tsx";
import type { Phase, Player, PlayerState } from "./playback.ts";
import { saveMinute, saveSnapshot } from "./snapshot.ts";

const STATES: Readonly<Record<Phase, readonly [tone: Tone, word: string]>> = {
  connecting: ["off", "Connecting"],
  playing: ["ok", "Playing"],
  lost: ["danger", "Lost"],
  refused: ["danger", "Cannot play"],
};

/** Which camera, and how it is. */
export function CameraPick({
  stream,
  names,
  phase,
  playing = "Playing",
  onChoose,
}: {
  stream: string;
  names: readonly string[];
  phase: Phase;
  /** The word for a picture that is there. */
  playing?: string;
  onChoose(stream: string | null): void;
}) {
  const [tone, word] = STATES[phase];
  return (
    <>
      <Select aria-label="Camera" value={stream} onChange={({ target: { value } }) => onChoose(value || null)}>
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
        <option value="">Other cameras…</option>
      </Select>
      <State tone={tone} word={phase === "playing" ? playing : word} />
    </>
  );
}

type SwitchProps = { workspace: WorkspaceName; stream: string; isRecorded: boolean; onChanged(): void };

/** Whether the pictures of this camera are part of recordings. */
export function RecordSwitch({ workspace, stream, isRecorded, onChanged }: SwitchProps) {
  const { busy, run } = useWork();
  const change = (record: boolean) =>
    run(async () => {
      await call({ method: "PUT", path: streamPath(workspace, stream), body: { settings: { record } } });
      onChanged();
    });
  return (
    <label className="stream-record" title="Its pictures are part of recordings of this workspace">
      <input
        type="checkbox"
        checked={isRecorded}
        disabled={busy}
        onChange={({ target }) => void change(target.checked)}
      />
      Record
    </label>
  );
}

export type SavedPicture = { path: string } | { fault: string };

/** Saves the picture or the last minute, and says what became of it. */
export function useSnapshot(workspace: WorkspaceName, stream: string, video: RefObject<HTMLVideoElement | null>) {
  const { busy, run } = useWork();
  const [saved, setSaved] = useState<SavedPicture>();
  const take = () =>
    run(async () => {
      if (video.current) setSaved(await saveSnapshot(workspace, stream, video.current));
    });
  const keep = () => run(async () => setSaved(await saveMinute(workspace, stream, streamPath(workspace, stream))));
  return { busy, saved, take, keep, forget: () => setSaved(undefined) };
}

export function Saved({ saved, onClose }: { saved: SavedPicture; onClose(): void }) {
  return (
    <div className="stream-saved" role="status">
      {"path" in saved ? (
        <>
          <Icon name="check" />
          <code className="cut">{saved.path}</code>
          <CopyButton text={saved.path} />
        </>
      ) : (
        <FaultLine>{saved.fault}</FaultLine>
      )}
      <button type="button" className="icon-btn small" aria-label="Close" onClick={onClose}>
        <Icon name="close" />
      </button>
    </div>
  );
}

type TroubleProps = { state: PlayerState; player: Player; mayControl: boolean; ffmpeg: string | null; path: string };

/** Why there is no picture, and what to do. */
export function Trouble({ state: { phase, words, code, stream }, player, mayControl, ffmpeg, path }: TroubleProps) {
  const { busy, run } = useWork();
  const [fault, setFault] = useState<string>();
  if (phase === "connecting") {
    return (
      <p className="panel-message stream-trouble" role="status">
        <Icon name="spinner" />
        <span>Connecting to the camera…</span>
      </p>
    );
  }
  const isCodec = code === "codec-refused" || stream?.fault === "codec";
  const convert = () =>
    run(async () => {
      const answer = await call({ method: "PUT", path, body: { settings: { convert: true } } });
      setFault(answer.ok ? undefined : faultWords(answer.fault));
      if (answer.ok) player.again();
    });
  return (
    <div className="panel-message stream-trouble" role="alert">
      <Icon name="warning" />
      <h3>{isCodec ? `This camera sends ${stream?.codec ?? "another codec"}` : TITLES[phase]}</h3>
      <p>{words ?? "There is no picture."}</p>
      {isCodec && <p className="hint">{convertWords(mayControl, ffmpeg)}</p>}
      <div className="row">
        {isCodec && mayControl && ffmpeg !== null && (
          <Button look="primary" busy={busy} onClick={() => void convert()}>
            Convert to H.264 here
          </Button>
        )}
        <Button icon="reload" onClick={player.again}>
          Try again
        </Button>
      </div>
      {fault !== undefined && <FaultLine>{fault}</FaultLine>}
    </div>
  );
}

const TITLES: Readonly<Record<Phase, string>> = {
  ...{ connecting: "Connecting", playing: "Playing", lost: "The picture has stopped", refused: "There is no picture" },
};

function convertWords(mayControl: boolean, ffmpeg: string | null): string {
  if (ffmpeg === null)
    return "To convert it here, ffmpeg has to be installed on the server (Debian: apt install ffmpeg).";
  if (!mayControl) return "People who may control devices can let the server convert it.";
  return "The server can convert it with ffmpeg. A large picture takes about one core.";
}

/** What is seen, how it comes, and since when. */
export function StatusLine({
  state,
  video,
  way = "WHEP, over UDP",
}: {
  state: PlayerState | undefined;
  video: { current: HTMLVideoElement | null };
  way?: string;
}) {
  const { stream, connectedAtMs, phase } = state ?? {};
  const size =
    video.current && video.current.videoWidth > 0 && `${video.current.videoWidth} × ${video.current.videoHeight}`;
  const codec = [stream?.codec, stream?.profile].filter(Boolean).join(" ");
  return (
    <p className="panel-status">
      <span>{[size, codec].filter(Boolean).join(", ") || "–"}</span>
      <span>{way}</span>
      <span className="grow" />
      {stream && stream.viewers > 1 && <span>{stream.viewers} viewers</span>}
      {phase === "playing" && connectedAtMs !== undefined && (
        <span>for {lengthOf(Math.max(1, Math.round((Date.now() - connectedAtMs) / 1_000)))}</span>
      )}
    </p>
  );
}
