import { useRef } from "react";
import { Readings } from "../../plot-panel/readings.tsx";
import { streamPath } from "../../streams/choose-stream.tsx";
import { FigureTiles } from "../../streams/figure-tiles.tsx";
import { PictureTools } from "../../streams/picture-tools.tsx";
import { type PlayingProps, streamPanel } from "../../streams/stream-panel.tsx";
import { CameraPick, RecordSwitch, Saved, StatusLine, Trouble, useSnapshot } from "../../streams/stream-parts.tsx";
import { usePlayer } from "../../streams/use-streams.ts";

export const mount = streamPanel(WebrtcPlayer);

/** One camera with little delay. */
function WebrtcPlayer(props: PlayingProps) {
  const { context, stream, kind, isRecorded, names, mayControl, ffmpeg, onChoose, onChanged } = props;
  const { workspace } = context;
  const video = useRef<HTMLVideoElement>(null);
  const view = useRef<HTMLDivElement>(null);
  const { player, state } = usePlayer(streamPath(workspace, stream), video);
  const { busy, saved, take, forget } = useSnapshot(workspace, stream, video);
  const phase = state?.phase ?? "connecting";
  return (
    <div className="panel-root stream-panel" data-phase={phase}>
      <div className="panel-tools">
        <CameraPick {...{ stream, names, phase, onChoose }} />
        <span className="grow" />
        {kind !== "hls" && mayControl && <RecordSwitch {...{ workspace, stream, isRecorded, onChanged }} />}
        <PictureTools {...{ busy, view, take }} isPlaying={phase === "playing"} />
      </div>
      <div className="panel-view stream-view" ref={view}>
        <video ref={video} muted playsInline autoPlay aria-label={`The camera ${stream}`} />
        {phase === "playing" && state?.delayMs !== undefined && (
          <span className="stream-chip" data-reading="Delay" title="Measured, from the server to this screen">
            {Math.max(0, Math.round(state.delayMs))} ms from server to screen
          </span>
        )}
        {state && player && phase !== "playing" && (
          <Trouble {...{ state, player, mayControl, ffmpeg }} path={streamPath(workspace, stream)} />
        )}
        {saved && <Saved saved={saved} onClose={forget} />}
      </div>
      <Readings isLost={phase === "lost"}>
        <FigureTiles figures={state?.figures} past={state?.past ?? []} />
      </Readings>
      <StatusLine state={state} video={video} />
    </div>
  );
}
