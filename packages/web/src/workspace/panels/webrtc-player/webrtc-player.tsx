import "../../device-panel/device-panel.css";
import "../../plot-panel/plot-panel.css";
import "../../streams/streams.css";
import { useEffect, useRef, useState } from "react";
import { call } from "../../../calls/call.ts";
import { faultWords } from "../../../calls/fault-words.ts";
import { useWork } from "../../../calls/use-action.ts";
import { Button } from "../../../parts/button.tsx";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { FaultLine } from "../../../parts/field.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { Select } from "../../../parts/select.tsx";
import { State, type Tone } from "../../../parts/state.tsx";
import { lengthOf } from "../../../parts/times.ts";
import { useClockMode, useDevicesStatus } from "../../device-panel/use-devices.ts";
import type { MountPanel, PanelContext } from "../../panel.ts";
import { Readings } from "../../plot-panel/readings.tsx";
import { ChooseStream, streamPath } from "../../streams/choose-stream.tsx";
import { FigureTiles } from "../../streams/figure-tiles.tsx";
import type { Phase, Player, PlayerState } from "../../streams/player.ts";
import { saveSnapshot } from "../../streams/snapshot.ts";
import { usePlayer, useStreams } from "../../streams/use-streams.ts";
import { reactPanel, usePanelState } from "../react-panel.tsx";

export const mount: MountPanel = (element, context) =>
  reactPanel(element, <WebrtcPlayer context={context} />, {
    focus: () => element.querySelector<HTMLElement>("button, select, input")?.focus(),
  });

/** One camera with little delay. */
function WebrtcPlayer({ context }: { context: PanelContext }) {
  const { workspace, setState, setTitle, devices, catalogPanel } = context;
  const state = usePanelState(context);
  const { list, fault, reload } = useStreams(workspace);
  const { mayControl } = useDevicesStatus(devices);
  const mode = useClockMode(context);
  const wanted = typeof state.stream === "string" ? state.stream : undefined;
  const isThere = list?.streams.some(({ name }) => name === wanted) === true;
  useEffect(() => setTitle(wanted ?? catalogPanel?.name), [wanted, catalogPanel, setTitle]);
  // It may have been added by somebody else a moment ago.
  useEffect(() => {
    if (wanted !== undefined) reload();
  }, [wanted, reload]);

  const choose = (stream: string | null) => void setState({ stream }).catch(reportError);
  if (mode === "replay") return <NotRecorded context={context} />;
  if (!list) return <p className="panel-message">{fault ? faultWords(fault) : "Looking for cameras…"}</p>;
  if (wanted === undefined || !isThere) {
    return (
      <div className="panel-root">
        <ChooseStream {...{ workspace, list, mayControl, missing: wanted }} onChoose={choose} onChanged={reload} />
      </div>
    );
  }
  const names = list.streams.map(({ name }) => name);
  return (
    <Playing key={wanted} {...{ context, stream: wanted, names, mayControl, ffmpeg: list.ffmpeg }} onChoose={choose} />
  );
}

const NotRecorded = ({ context }: { context: PanelContext }) => (
  <div className="panel-root">
    <div className="panel-message" role="status">
      <h3>No video was recorded</h3>
      <p>Recordings have what devices measure and say. Video is not recorded yet.</p>
      <Button onClick={() => void context.devices.goLive()}>Show the camera live</Button>
    </div>
  </div>
);

const STATES: Readonly<Record<Phase, readonly [tone: Tone, word: string]>> = {
  connecting: ["off", "Connecting"],
  playing: ["ok", "Playing"],
  lost: ["danger", "Lost"],
  refused: ["danger", "Cannot play"],
};

type PlayingProps = {
  context: PanelContext;
  stream: string;
  names: readonly string[];
  mayControl: boolean;
  ffmpeg: string | null;
  onChoose(stream: string | null): void;
};

function Playing({ context, stream, names, mayControl, ffmpeg, onChoose }: PlayingProps) {
  const { workspace } = context;
  const video = useRef<HTMLVideoElement>(null);
  const view = useRef<HTMLDivElement>(null);
  const { player, state } = usePlayer(streamPath(workspace, stream), video);
  const { busy, run } = useWork();
  const [saved, setSaved] = useState<{ path: string } | { fault: string }>();
  const phase = state?.phase ?? "connecting";
  const [tone, word] = STATES[phase];
  const snapshot = () =>
    run(async () => {
      if (video.current) setSaved(await saveSnapshot(workspace, stream, video.current));
    });
  return (
    <div className="panel-root stream-panel" data-phase={phase}>
      <div className="panel-tools">
        <Select aria-label="Camera" value={stream} onChange={({ target: { value } }) => onChoose(value || null)}>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
          <option value="">Other cameras…</option>
        </Select>
        <State {...{ tone, word }} />
        <span className="grow" />
        <Button size="small" busy={busy} disabled={phase !== "playing"} onClick={() => void snapshot()}>
          Snapshot
        </Button>
        <button
          type="button"
          className="icon-btn small"
          aria-label="Full screen"
          title="Full screen"
          onClick={() => void view.current?.requestFullscreen().catch(() => {})}
        >
          <Icon name="expand" />
        </button>
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
        {saved && <Saved saved={saved} onClose={() => setSaved(undefined)} />}
      </div>
      <Readings isLost={phase === "lost"}>
        <FigureTiles figures={state?.figures} past={state?.past ?? []} />
      </Readings>
      <StatusLine state={state} video={video} />
    </div>
  );
}

function Saved({ saved, onClose }: { saved: { path: string } | { fault: string }; onClose(): void }) {
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
function Trouble({ state: { phase, words, code, stream }, player, mayControl, ffmpeg, path }: TroubleProps) {
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
function StatusLine({ state, video }: { state: PlayerState | undefined; video: { current: HTMLVideoElement | null } }) {
  const { stream, connectedAtMs, phase } = state ?? {};
  const size =
    video.current && video.current.videoWidth > 0 && `${video.current.videoWidth} × ${video.current.videoHeight}`;
  const codec = [stream?.codec, stream?.profile].filter(Boolean).join(" ");
  return (
    <p className="panel-status">
      <span>{[size, codec].filter(Boolean).join(", ") || "–"}</span>
      <span>WHEP, over UDP</span>
      <span className="grow" />
      {stream && stream.viewers > 1 && <span>{stream.viewers} viewers</span>}
      {phase === "playing" && connectedAtMs !== undefined && (
        <span>for {lengthOf(Math.max(1, Math.round((Date.now() - connectedAtMs) / 1_000)))}</span>
      )}
    </p>
  );
}
