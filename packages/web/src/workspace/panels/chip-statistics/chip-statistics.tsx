import "./chip-statistics.css";
import { PanelAlert } from "../../device-panel/panel-alert.tsx";
import { Drawing } from "../../parts/drawing/drawing.tsx";
import { itemOf } from "../../parts/maths/maths.ts";
import { colourOf } from "../../parts/plot/palette.ts";
import { TimePlot } from "../../parts/plot/time-plot.tsx";
import { durationWords, numberWords, timeWords } from "../../parts/plot/words.ts";
import { type PlotBody, type Plotted, periodWords, plotPanel } from "../../plot-panel/plot-panel.tsx";
import { Reading, Readings } from "../../plot-panel/readings.tsx";
import {
  errorsAt,
  heapPoints,
  type Leak,
  LOW_STACK_BYTES,
  leakOf,
  loadsAt,
  type Reset,
  resetsIn,
  slicesAt,
  type Task,
  tasksAt,
} from "./chip.ts";
import { drawSlices } from "./draw-slices.ts";

const MAX_PLOTTED_CORES = 4;
const KIB = 1_024;
const HEAP = "heap_free_bytes";
const RESETS = "resets";

export const mount = plotPanel({
  noun: "chip",
  windows: [
    [60, "1 min"],
    [3_600, "1 h"],
    [86_400, "24 h"],
  ],
  usualS: 60,
  plotted: ({ capability }) => [
    ...("load_pct" in capability.fields ? Array.from({ length: MAX_PLOTTED_CORES }, (_, core) => loadOf(core)) : []),
    ...(HEAP in capability.fields ? [HEAP_FREE] : []),
    ...(RESETS in capability.fields ? [RESET_COUNT] : []),
  ],
  Body: ChipStatistics,
});

const loadOf = (core: number): Plotted => ({
  ...{ key: `core-${core}`, label: `Core ${core}`, unit: "%" },
  read: (track, sample) => itemOf(track.dataAt("load_pct", sample), core),
});
const HEAP_FREE: Plotted = {
  ...{ key: HEAP, field: HEAP, label: "Heap free", unit: "KiB", convert: (bytes) => bytes / KIB },
  read: (track, sample) => Math.round((track.valueAt(HEAP, sample) / KIB) * 10) / 10,
};

/** Not drawn: its history tells of resets before the page was opened. */
const RESET_COUNT: Plotted = {
  ...{ key: RESETS, field: RESETS, label: "Resets", unit: "" },
  read: (track, sample) => track.valueAt(RESETS, sample),
};

function ChipStatistics({ device, track, shown, series, times, periodMs, plot }: PlotBody) {
  const sample = shown();
  const loads = loadsAt(track, sample);
  const cores = series.filter(({ unit }) => unit === "%").slice(0, loads.length);
  const heap = series.find(({ key }) => key === HEAP);
  const bytes = heap && { ...heap, convert: (value: number) => value };
  const counted = series.find(({ key }) => key === RESETS);
  const leak = leakOf(heapPoints(bytes, track, times, counted));
  const tasks = tasksAt(track, sample);
  const resets = resetsIn(track, times, counted);
  const kib = (field: string) => numberWords(track.valueAt(field, sample) / KIB, 1);
  return (
    <>
      <Readings isLost={device.state !== "ready"}>
        {Object.entries(loads).map(([core, load]) => (
          <Reading
            key={core}
            name={`Core ${core}`}
            value={numberWords(load)}
            unit="%"
            tone={load > 90 ? "warn" : undefined}
          />
        ))}
        {heap && <Reading name="Heap free" value={kib(HEAP)} unit="KiB" />}
        {heap && <Reading name="Lowest" value={kib("heap_min_bytes")} unit="KiB" />}
        <Reading
          name="Resets"
          value={numberWords(track.valueAt("resets", sample))}
          unit={textOf(track.dataAt("reset_reason", sample))}
        />
        <Reading name="Up" value={durationWords(track.valueAt("uptime_s", sample) * 1_000)} />
      </Readings>
      <div className="chip-plots">
        {cores.length > 0 && (
          <TimePlot {...plot} lanes={[{ unit: "%", series: cores, minSpan: 100 }]} label={`Load of ${device.name}`} />
        )}
        {heap && (
          <TimePlot
            {...plot}
            lanes={[{ unit: "KiB", series: [heap], minSpan: 10 }]}
            label={`Free heap of ${device.name}`}
          />
        )}
      </div>
      {leak && <LeakNote leak={leak} />}
      <Slices {...{ track, shown, tasks }} />
      <div className="chip-lists">
        <TaskTable tasks={tasks} isLost={device.state !== "ready"} />
        <Resets resets={resets} />
      </div>
      <div className="panel-status">
        <span>{periodWords(periodMs)}</span>
        <span>{device.model}</span>
        <span className="grow" />
        <span>{errorWords(errorsAt(track, sample))}</span>
      </div>
    </>
  );
}

const textOf = (value: unknown): string => (typeof value === "string" ? value.slice(0, 40) : "");

const errorWords = (errors: readonly (readonly [string, number])[]): string =>
  errors.map(([name, count]) => `${name} errors ${numberWords(count)}`).join(", ");

const LeakNote = ({ leak: { bytesPerHour, emptyInMs } }: { leak: Leak }) => (
  <PanelAlert word="Leak">
    <b>Heap shrinks by {numberWords(bytesPerHour / KIB, 1)} KiB per hour.</b> Empty in about {durationWords(emptyInMs)}{" "}
    if it goes on.
  </PanelAlert>
);

type SlicesProps = Pick<PlotBody, "track" | "shown"> & { tasks: readonly Task[] };

/** What the cores did in the last moments, task by task. */
function Slices({ track, shown, tasks }: SlicesProps) {
  const slices = slicesAt(track, shown());
  if (slices.length === 0) return null;
  const names = slotsOf(tasks);
  return (
    <Drawing
      className="chip-slices"
      label={`What the cores did: ${slices.length} pieces of ${new Set(slices.map(({ task }) => task)).size} tasks`}
      draw={(pen) => drawSlices(pen, slices, (task) => names.get(task) ?? 8)}
    />
  );
}

/** A task keeps its colour however busy it is. */
const slotsOf = (tasks: readonly Task[]): ReadonlyMap<string, number> =>
  new Map(
    tasks
      .map(({ name }) => name)
      .sort()
      .map((name, place) => [name, colourOf(place + 1)]),
  );

function TaskTable({ tasks, isLost }: { tasks: readonly Task[]; isLost: boolean }) {
  const slots = slotsOf(tasks);
  return (
    <section className="chip-tasks" aria-label="Tasks" tabIndex={-1}>
      <table className="series-table loose" data-lost={isLost}>
        <thead>
          <tr>
            <th scope="col">Task</th>
            <th scope="col" className="words wide-only">
              State
            </th>
            <th scope="col">Load</th>
            <th scope="col" className="wide-only">
              <span className="sr">Load as a bar</span>
            </th>
            <th scope="col">Stack left</th>
          </tr>
        </thead>
        <tbody>
          {tasks.map(({ name, state, loadPct, stackBytes }) => (
            <tr key={name} data-task={name}>
              <th scope="row">
                <i
                  className="chip-task"
                  style={{ background: `var(--series-${slots.get(name)})` }}
                  aria-hidden="true"
                />
                {name}
              </th>
              <td className="words quiet wide-only">{state}</td>
              <td>{numberWords(loadPct, 1)} %</td>
              <td className="wide-only chip-bar" aria-hidden="true">
                <i style={{ width: `${Math.max(0, Math.min(100, loadPct || 0))}%` }} />
              </td>
              <td className={stackBytes < LOW_STACK_BYTES ? "warn" : ""}>{numberWords(stackBytes)} B</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const Resets = ({ resets }: { resets: readonly Reset[] }) => (
  <div className="chip-resets wide-only">
    <p>
      Resets in these times <b>{resets.length}</b>
    </p>
    <ul>
      {resets.map(({ tMs, reason }) => (
        <li key={tMs}>
          <span>{timeWords(tMs)}</span>
          <span className={/power/.test(reason) ? "" : "warn"}>{reason || "not said"}</span>
        </li>
      ))}
    </ul>
  </div>
);
