import "./live-stream.css";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import { useRef, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { Note } from "../../../parts/note.tsx";
import { clockWithSeconds } from "../../../parts/times.ts";
import { streamPath } from "../../streams/choose-stream.tsx";
import { PictureTools } from "../../streams/picture-tools.tsx";
import { type PlayingProps, streamPanel } from "../../streams/stream-panel.tsx";
import { CameraPick, RecordSwitch, Saved, StatusLine, Trouble, useSnapshot } from "../../streams/stream-parts.tsx";
import { useLive } from "./use-live.ts";

export const mount = streamPanel(LiveStream);

const KEPT_S = DEVICES_LIMITS.hlsKeptMs / 1_000;
const STEP_S = 5;

/** A stream now, and its last minute. */
function LiveStream(props: PlayingProps) {
  const { context, stream, kind, isRecorded, names, mayControl, ffmpeg, onChoose, onChanged } = props;
  const { workspace } = context;
  const path = streamPath(workspace, stream);
  const isHls = kind === "hls";
  const video = useRef<HTMLVideoElement>(null);
  const view = useRef<HTMLDivElement>(null);
  const live = useLive(path, video, isHls);
  const { way, player, state } = live;
  const { busy, saved, take, keep, forget } = useSnapshot(workspace, stream, video);
  const [isPaused, setPaused] = useState(false);
  const phase = state?.phase ?? "connecting";
  const isPlaying = phase === "playing";
  const isBack = way.via === "hls" && (way.behindMs > 0 || isPaused);
  const delayMs = isPlaying ? state?.delayMs : undefined;
  const behindS = way.via === "hls" && delayMs !== undefined ? Math.round(delayMs / 1_000) : 0;
  // Where somebody wants to be is known at once, and where they are a moment later.
  const backS = isPaused || way.via === "whep" ? behindS : way.behindMs / 1_000;
  const shownAt = delayMs === undefined ? undefined : new Date(Date.now() - delayMs);

  const goBack = (seconds: number) => live.goBack(Math.min(KEPT_S, Math.max(0, seconds)) * 1_000);
  const goLive = () => {
    setPaused(false);
    live.goLive();
  };
  const pause = () => {
    live.setPaused(!isPaused);
    if (isPaused) goBack(behindS);
    setPaused(!isPaused);
  };
  return (
    <div className="panel-root stream-panel" data-phase={phase} data-via={way.via}>
      <div className="panel-tools">
        <CameraPick {...{ stream, names, phase, onChoose }} playing={isBack ? "Looking back" : "Live"} />
        <span className="badge">{way.via === "whep" ? "WHEP" : "HLS"}</span>
        <span className="grow" />
        {!isHls && mayControl && <RecordSwitch {...{ workspace, stream, isRecorded, onChanged }} />}
        <PictureTools {...{ busy, view, take }} isPlaying={isPlaying} />
      </div>
      {way.via === "hls" && way.why !== undefined && (
        <div className="live-why">
          <Note tone="warn" role="status">
            <b>Over HLS, some seconds slower.</b> {way.why}
          </Note>
          <Button size="small" onClick={live.tryWhep}>
            Try WHEP again
          </Button>
        </div>
      )}
      <div className="panel-view stream-view" ref={view}>
        <video ref={video} muted playsInline autoPlay aria-label={`The camera ${stream}`} />
        {shownAt && <span className="stream-chip live-time">{clockWithSeconds(shownAt)}</span>}
        {delayMs !== undefined && (
          <span className="stream-chip" data-reading="Delay" title="Measured, from the server to this screen">
            {delayWords(delayMs, isBack)}
          </span>
        )}
        {state && player && !isPlaying && <Trouble {...{ state, player, mayControl, ffmpeg, path }} />}
        {saved && <Saved saved={saved} onClose={forget} />}
      </div>
      <label className="live-minute">
        <span>
          <span>1 min ago</span>
          <span className="live-hint">Drag to look back, or use the arrow keys</span>
          <span>now</span>
        </span>
        <input
          type="range"
          min={-KEPT_S}
          max={0}
          step={1}
          disabled={phase === "refused"}
          value={isBack ? -Math.min(KEPT_S, backS) : 0}
          aria-label="Look back"
          aria-valuetext={isBack ? `${backS} seconds ago` : "now"}
          onChange={({ target }) => (Number(target.value) === 0 ? goLive() : goBack(-Number(target.value)))}
        />
      </label>
      <div className="live-tools">
        {way.via === "hls" && (
          <Button size="small" icon={isPaused ? "play" : "pause"} disabled={!isPlaying} onClick={pause}>
            {isPaused ? "Play" : "Pause"}
          </Button>
        )}
        <Button size="small" icon="back" disabled={phase === "refused"} onClick={() => goBack(backS + STEP_S)}>
          {`Back ${STEP_S} s`}
        </Button>
        <span className="grow" />
        <Button size="small" icon="download" busy={busy} disabled={!isPlaying} onClick={() => void keep()}>
          Keep this minute
        </Button>
        {isBack && (
          <Button size="small" look="primary" onClick={goLive}>
            Go live
          </Button>
        )}
      </div>
      <StatusLine state={state} video={video} way={way.via === "whep" ? "WHEP, over UDP" : "HLS, over HTTP"} />
    </div>
  );
}

function delayWords(delayMs: number, isBack: boolean): string {
  if (isBack) return `${Math.round(delayMs / 1_000)} s ago`;
  return delayMs < 1_000 ? `${Math.max(0, Math.round(delayMs))} ms behind` : `${(delayMs / 1_000).toFixed(1)} s behind`;
}
