import "../device-panel/device-panel.css";
import "../plot-panel/plot-panel.css";
import "./streams.css";
import { type ComponentType, useEffect } from "react";
import { faultWords } from "../../calls/fault-words.ts";
import { useClockMode, useDevicesStatus } from "../device-panel/use-devices.ts";
import type { MountPanel, PanelContext } from "../panel.ts";
import { reactPanel, usePanelState } from "../panels/react-panel.tsx";
import { ChooseStream } from "./choose-stream.tsx";
import { Replayed } from "./replayed.tsx";
import { useStreams } from "./use-streams.ts";

/** What the content of a panel with a camera gets. */
export type PlayingProps = {
  context: PanelContext;
  stream: string;
  /** Its kind, such as "rtsp". */
  kind: string;
  /** Whether its pictures are part of recordings. */
  isRecorded: boolean;
  names: readonly string[];
  mayControl: boolean;
  ffmpeg: string | null;
  onChoose(stream: string | null): void;
  /** Its settings were changed. */
  onChanged(): void;
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
  const chosen = list?.streams.find(({ name }) => name === wanted);
  useEffect(() => setTitle(wanted ?? catalogPanel?.name), [wanted, catalogPanel, setTitle]);
  // It may have been added by somebody else a moment ago.
  useEffect(() => {
    if (wanted !== undefined) reload();
  }, [wanted, reload]);

  const choose = (stream: string | null) => void setState({ stream }).catch(reportError);
  if (mode === "replay" && wanted !== undefined) return <Replayed context={context} stream={wanted} />;
  if (!list) return <p className="panel-message">{fault ? faultWords(fault) : "Looking for cameras…"}</p>;
  if (wanted === undefined || chosen === undefined) {
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
      {...{
        context,
        stream: wanted,
        kind: chosen.kind,
        isRecorded: chosen.settings.record === true,
        names,
        mayControl,
      }}
      {...{ ffmpeg: list.ffmpeg, onChoose: choose, onChanged: reload }}
    />
  );
}
