import "../device-panel/device-panel.css";
import "../plot-panel/plot-panel.css";
import "./streams.css";
import { type ComponentType, useEffect } from "react";
import { faultWords } from "../../calls/fault-words.ts";
import { Button } from "../../parts/button.tsx";
import { useClockMode, useDevicesStatus } from "../device-panel/use-devices.ts";
import type { MountPanel, PanelContext } from "../panel.ts";
import { reactPanel, usePanelState } from "../panels/react-panel.tsx";
import { ChooseStream } from "./choose-stream.tsx";
import { useStreams } from "./use-streams.ts";

/** What the content of a panel with a camera gets. */
export type PlayingProps = {
  context: PanelContext;
  stream: string;
  /** Its kind, such as "rtsp". */
  kind: string;
  names: readonly string[];
  mayControl: boolean;
  ffmpeg: string | null;
  onChoose(stream: string | null): void;
};

/** A panel that shows a camera: the choice of one, then its content. */
export const streamPanel =
  (Playing: ComponentType<PlayingProps>): MountPanel =>
  (element, context) =>
    reactPanel(element, <Chosen {...{ context, Playing }} />, {
      focus: () => element.querySelector<HTMLElement>("button, select, input")?.focus(),
    });

function Chosen({ context, Playing }: { context: PanelContext; Playing: ComponentType<PlayingProps> }) {
  const { workspace, setState, setTitle, devices, catalogPanel } = context;
  const state = usePanelState(context);
  const { list, fault, reload } = useStreams(workspace);
  const { mayControl } = useDevicesStatus(devices);
  const mode = useClockMode(context);
  const wanted = typeof state.stream === "string" ? state.stream : undefined;
  const kind = list?.streams.find(({ name }) => name === wanted)?.kind;
  useEffect(() => setTitle(wanted ?? catalogPanel?.name), [wanted, catalogPanel, setTitle]);
  // It may have been added by somebody else a moment ago.
  useEffect(() => {
    if (wanted !== undefined) reload();
  }, [wanted, reload]);

  const choose = (stream: string | null) => void setState({ stream }).catch(reportError);
  if (mode === "replay") return <NotRecorded context={context} />;
  if (!list) return <p className="panel-message">{fault ? faultWords(fault) : "Looking for cameras…"}</p>;
  if (wanted === undefined || kind === undefined) {
    return (
      <div className="panel-root">
        <ChooseStream {...{ workspace, list, mayControl, missing: wanted }} onChoose={choose} onChanged={reload} />
      </div>
    );
  }
  const names = list.streams.map(({ name }) => name);
  return (
    <Playing
      key={wanted}
      {...{ context, stream: wanted, kind, names, mayControl, ffmpeg: list.ffmpeg }}
      onChoose={choose}
    />
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
