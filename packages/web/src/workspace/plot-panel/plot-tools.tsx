import { Icon, type IconName } from "../../parts/icon.tsx";
import { Segmented } from "../../parts/segmented.tsx";
import { Select } from "../../parts/select.tsx";
import type { DeviceContext } from "../panel.ts";
import { seenIn, usePlotControls } from "./plot-store.ts";
import { csvOfSeries } from "./save-csv.ts";

type Choice = readonly [value: number, word: string];

type Props = { context: DeviceContext; windows: readonly Choice[]; usualS: number };

/** Window, pause and save: in the row of tools of every panel with a plot. */
export function PlotTools({ context, windows, usualS }: Props) {
  const { windowS, view, isPaused, setWindow, togglePause } = usePlotControls(context, usualS);
  const shown = view.range ? undefined : windowS;
  const save = () => {
    const seen = seenIn(context);
    if (seen) void context.save(`${seen.name}.csv`, csvOfSeries(seen.series, seen.times)).catch(reportError);
  };
  return (
    <>
      {isPaused && (
        <span className="badge warn plot-paused">
          <Icon name="pause" />
          Paused
        </span>
      )}
      {windows.length > 1 && <Windows {...{ windows, shown, setWindow }} />}
      <ToolButton label={isPaused ? "Go on" : "Pause"} icon={isPaused ? "play" : "pause"} onClick={togglePause} />
      <ToolButton label="Save what is seen as CSV" icon="download" onClick={save} className="plot-save" />
    </>
  );
}

type WindowsProps = { windows: readonly Choice[]; shown: number | undefined; setWindow: (seconds: number) => void };

function Windows({ windows, shown, setWindow }: WindowsProps) {
  return (
    <>
      <span className="plot-windows">
        <Segmented label="Time shown" choices={windows} value={shown} onChange={setWindow} />
      </span>
      <span className="plot-windows-narrow">
        <Select aria-label="Time shown" value={shown ?? ""} onChange={(event) => setWindow(Number(event.target.value))}>
          {shown === undefined && <option value="">Paused</option>}
          {windows.map(([seconds, word]) => (
            <option key={seconds} value={seconds}>
              {word}
            </option>
          ))}
        </Select>
      </span>
    </>
  );
}

type ToolButtonProps = { label: string; icon: IconName; onClick: () => void; className?: string };

function ToolButton({ label, icon, onClick, className = "" }: ToolButtonProps) {
  return (
    <button className={`icon-btn small ${className}`} type="button" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}
