import "./plot-panel.css";
import type { JsonObject } from "@backplane/contract/panels";
import type { ComponentType } from "react";
import { type DeviceContent, devicePanel } from "../device-panel/device-panel.tsx";
import { type Fitting, fittingOf } from "../device-panel/fitting.ts";
import { rateWords } from "../device-panel/freshness.ts";
import { useDeviceList } from "../device-panel/use-devices.ts";
import type { Target } from "../devices/devices.ts";
import type { DeviceContext, MountDevicePanel } from "../panel.ts";
import { usePanelState } from "../panels/react-panel.tsx";
import { MAX_SERIES } from "../parts/plot/palette.ts";
import type { Range } from "../parts/plot/range.ts";
import type { PlotSeries } from "../parts/plot/series.ts";
import { recentValues } from "../parts/plot/statistics.ts";
import type { TimePlotProps } from "../parts/plot/time-plot.tsx";
import type { Track } from "../parts/plot/track.ts";
import { digitsOf } from "../parts/plot/words.ts";
import { type Channels, channelKey } from "./channels.ts";
import { joinTracks } from "./joined-track.ts";
import { alsoShown, MoreDevices } from "./more-devices.tsx";
import { type PlotControls, setSeen, usePlotControls } from "./plot-store.ts";
import { PlotTools } from "./plot-tools.tsx";
import { useChannels, useWordsTick } from "./use-channels.ts";
import { useHistory } from "./use-history.ts";

/** A value that a panel plots: a field of its device, or what a formula makes of several. */
export type Plotted = Pick<PlotSeries, "key" | "label" | "read" | "convert" | "isBroken"> & {
  unit: string;
  /** The field whose history it has. */
  field?: string;
  /** Capabilities of the device that it reads, by the name before the dot; its times are those of the first. */
  from?: ReadonlyMap<string, string>;
};

export type PanelSeries = PlotSeries & Plotted & { digits: number };

/** What the body of a panel gets. */
export type PlotBody = DeviceContent & {
  state: JsonObject;
  /** The samples of the device that was chosen. */
  track: Track;
  /** The sample that is shown: the newest one, or the last one before a pause. One before `track.first`: there is none. */
  shown: () => number;
  series: readonly PanelSeries[];
  controls: PlotControls;
  /** The times that are shown now. */
  times: Range;
  periodMs: number | undefined;
  /** What every plot of the panel needs. */
  plot: Omit<TimePlotProps, "label" | "lanes">;
};

type Windows = readonly (readonly [seconds: number, word: string])[];

/** For what takes minutes to hours. */
export const SLOW_WINDOWS: Windows = [
  [600, "10 min"],
  [3_600, "1 h"],
  [86_400, "24 h"],
];

/** All that is different between panels that plot a device. */
type PlotPanel = {
  noun: string;
  windows: Windows;
  usualS: number;
  /** How much of the past the page needs; all that the hub keeps unless given. */
  keptMs?: number;
  /** The panel commands its device. */
  isControlling?: boolean;
  plotted: (content: DeviceContent, state: JsonObject) => Plotted[];
  Body: ComponentType<PlotBody>;
  /** Other devices can be shown with the one that was chosen. */
  isForMany?: boolean;
  /** In the row of tools, before those of all plots. */
  Tools?: ComponentType<DeviceContent>;
};

export function plotPanel(panel: PlotPanel): MountDevicePanel {
  const { noun, windows, usualS, plotted, Body, isForMany = false, keptMs, isControlling = false, Tools: Own } = panel;

  function Tools(content: DeviceContent) {
    const { context, device, capability } = content;
    return (
      <>
        {isForMany && <MoreDevices context={context} first={{ device, capability }} />}
        {Own && (
          <span className="plot-own">
            <Own {...content} />
          </span>
        )}
        <PlotTools {...{ context, windows, usualS }} />
      </>
    );
  }

  function Content(content: DeviceContent) {
    const { context, device, capability } = content;
    const state = usePanelState(context);
    const controls = usePlotControls(context, usualS);
    useWordsTick(context);
    const fitting = fittingOf(useDeviceList(context.devices), context.catalogPanel?.shows ?? []);
    const shown = [content, ...(isForMany ? alsoShown(fitting, content, state) : [])];
    const targets = targetsOf(shown.map((each) => ({ each, all: plotted({ ...content, ...each }, state) })));
    const channels = useChannels(context, targets, controls.view, keptMs);
    const historyOf = useHistory(context, targets, controls.view);
    const series = shown
      .flatMap((each, place) => seriesOf(each, place === 0))
      .slice(0, MAX_SERIES)
      .map((each, place) => ({ ...each, slot: place + 1, isShown: !controls.hidden.has(each.key) }));

    function seriesOf(each: Fitting, isFirst: boolean) {
      const all = plotted({ ...content, ...each }, state);
      return all.flatMap((one) => {
        const target = targetOf(each, one);
        const track = trackOf(channels, each, one);
        if (!track) return [];
        return {
          ...one,
          key: isFirst ? one.key : `${channelKey(target)}/${one.key}`,
          label: isFirst ? one.label : all.length === 1 ? each.device.name : `${one.label}, ${each.device.name}`,
          ...{ track, isReady: each.device.state === "ready", digits: digitsOf(recentValues(track, one.read)) },
          history: one.field === undefined ? undefined : historyOf(target, one.field),
        };
      });
    }

    const track = channels.track(targetOf(content, {})) as Track;
    const { range } = controls.view;
    const shownSample = () => (range ? track.from(range[1]) : track.next) - 1;

    const nowMs = context.clock.nowMs();
    const times = controls.view.range ?? ([nowMs - controls.view.windowMs, nowMs] as const);
    setSeen(context, { name: `${device.id}-${capability.id}`, series, times });
    return (
      <div className="plot-panel">
        <Body
          {...{ ...content, state, series, track, shown: shownSample, controls, times, periodMs: track.periodMs() }}
          plot={plotOf(context, controls, series)}
        />
      </div>
    );
  }

  return devicePanel({ noun, Content, Tools, isReadOnly: !isControlling });
}

/** The channel whose times it has. */
const targetOf = ({ device, capability }: Fitting, { from }: Pick<Plotted, "from">): Target => ({
  device: device.id,
  capability: from?.values().next().value ?? capability.id,
});

/** Every channel that is read, once. */
function targetsOf(shown: readonly { each: Fitting; all: readonly Plotted[] }[]): Target[] {
  const all = shown.flatMap(({ each, all: own }) => [
    targetOf(each, {}),
    ...own.flatMap(({ from }) =>
      Array.from(from?.values() ?? [], (id) => ({ device: each.device.id, capability: id })),
    ),
  ]);
  return [...new Map(all.map((target) => [channelKey(target), target])).values()];
}

function trackOf(channels: Channels, shown: Fitting, one: Plotted): Track | undefined {
  const times = channels.track(targetOf(shown, one));
  if (!times || !one.from) return times;
  const tracks = new Map(
    Array.from(one.from, ([name, id]) => [name, channels.track({ device: shown.device.id, capability: id })] as const),
  );
  return joinTracks(
    times,
    [...tracks.values()].filter((track) => track !== undefined && track !== times) as Track[],
    (name) => {
      const dot = name.indexOf(".");
      const track = tracks.get(name.slice(0, Math.max(dot, 0)));
      return track && { track, field: name.slice(dot + 1) };
    },
  );
}

function plotOf({ clock }: DeviceContext, controls: PlotControls, series: readonly PanelSeries[]): PlotBody["plot"] {
  const { view, marks, cursorMs } = controls;
  return {
    ...{ clock, view, marks, cursorMs, onCursor: controls.setCursor, onMarks: controls.setMarks },
    ...{ onZoom: controls.zoom, onPause: controls.togglePause },
    onToggle: (key, isAlone) =>
      controls.toggle(
        key,
        isAlone,
        series.map((each) => each.key),
      ),
  };
}

/** How often samples come. */
export const periodWords = (periodMs: number | undefined): string =>
  periodMs === undefined ? "when it changes" : rateWords(1_000 / periodMs);
