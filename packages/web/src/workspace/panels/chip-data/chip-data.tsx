import "./chip-data.css";
import { useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { State } from "../../../parts/state.tsx";
import { isObject } from "../../controls/json.ts";
import { usePermission } from "../../controls/why-not.ts";
import type { DeviceContent } from "../../device-panel/device-panel.tsx";
import { TimePlot } from "../../parts/plot/time-plot.tsx";
import { timeWords } from "../../parts/plot/words.ts";
import { type PlotBody, type Plotted, periodWords, plotPanel } from "../../plot-panel/plot-panel.tsx";
import {
  CORE,
  changeOf,
  groupsOf,
  hexWords,
  type Item,
  type Known,
  lastData,
  readItems,
  splitName,
  valuesAt,
  valueWords,
} from "./chip.ts";
import { EditMap } from "./edit-map.tsx";
import { ItemDetails } from "./item-details.tsx";

export const mount = plotPanel({
  noun: "chip",
  windows: [
    [10, "10 s"],
    [60, "1 min"],
    [600, "10 min"],
  ],
  usualS: 60,
  isControlling: true,
  plotted: ({ capability }, { drawn }) =>
    (Array.isArray(drawn) ? drawn : []).flatMap((name) =>
      typeof name === "string" && Object.hasOwn(capability.fields, name) ? [plottedOf(name)] : [],
    ),
  Body: ChipData,
  Tools,
});

const plottedOf = (name: string): Plotted => ({
  ...{ key: name, field: name, label: name, unit: "" },
  read: (track, sample) => track.valueAt(name, sample),
});

/** Of a source the list of variables can be changed here; a device with a map of its own lists them itself. */
const isListed = ({ device }: DeviceContent): boolean => device.source.startsWith("gdb:");

function Tools(content: DeviceContent) {
  const { capability, commands, context } = content;
  const { workspace } = context;
  const { why } = usePermission(content, "powers");
  const [isEditing, setEditing] = useState(false);
  const order = (name: "halt" | "resume", words: string) =>
    capability.commands[name] && (
      <Button size="small" disabled={why !== undefined} onClick={() => void commands.send(name, {}, name)}>
        {words}
      </Button>
    );
  return (
    <>
      {isListed(content) && (
        <Button size="small" look="quiet" onClick={() => setEditing(true)}>
          Variables…
        </Button>
      )}
      {order("halt", "Halt")}
      {order("resume", "Run")}
      {isEditing && workspace && (
        <EditMap {...{ workspace, device: content.device }} onClose={() => setEditing(false)} />
      )}
    </>
  );
}

const MAX_WATCHED = 16;

type Snapshot = { tMs: number; values: Known };

/** What the chip holds, beside what it held when "Compare from now" was pressed. */
function ChipData(props: PlotBody) {
  const { context, device, state, track, shown, series, plot, periodMs } = props;
  const [find, setFind] = useState("");
  const [before, setBefore] = useState<Snapshot>();
  const sample = shown();
  const items = readItems(lastData(track, sample, "map"));
  const values = valuesAt(track, sample, items);
  const nowMs = track.timeAt(sample);
  if (!before && values.size > 0) setBefore({ tMs: nowMs, values });
  const registers = lastData(track, sample, "registers");
  const isRunning = lastData(track, sample, "state") === "running";
  const core = !isRunning && isObject(registers) ? registers : {};
  const groups = groupsOf(items.filter(({ name }) => name.toLowerCase().includes(find.toLowerCase())));
  const names = [...groups.keys(), ...(Object.keys(core).length > 0 && find === "" ? [CORE] : [])];
  const group = names.find((name) => name === state.group) ?? names[0];
  const shownItems = groups.get(group ?? "") ?? [];
  const picked = shownItems.find(({ name }) => name === state.picked) ?? shownItems[0];
  const changes = items.filter((item) => changeOf(item, values.get(item.name), before?.values.get(item.name)));
  const set = (change: Parameters<typeof context.setState>[0]) => void context.setState(change).catch(reportError);
  const drawn = series.map(({ key }) => key);
  const draw = (name: string) =>
    set({ drawn: drawn.includes(name) ? drawn.filter((one) => one !== name) : [...drawn, name].slice(-8) });
  const listed = Array.isArray(state.watched) ? state.watched : [];
  const watched = items.filter(({ name }) => listed.includes(name));
  const watch = (name: string) => {
    const names = watched.map((item) => item.name);
    set({ watched: names.includes(name) ? names.filter((one) => one !== name) : [...names, name].slice(-MAX_WATCHED) });
  };
  const lanes = series.map((one) => ({ unit: "", series: [one], minSpan: 1 }));
  return (
    <>
      <div className="plot-head chip-head">
        <State tone={isRunning ? "ok" : "warn"} word={isRunning ? "Running" : "Halted"} />
        <span className={changes.length > 0 ? "badge accent" : "badge"} data-reading="changed">
          {changes.length} changed
        </span>
        <span className="wide-only">since {before ? timeWords(before.tMs, 1) : "–"}</span>
        <span className="grow" />
        <Button size="small" label="Compare from now" onClick={() => setBefore({ tMs: nowMs, values })}>
          Compare <span className="wide-only">from now</span>
        </Button>
      </div>
      <div className="chip-split">
        <div className="chip-nav">
          <Groups {...{ names, groups, group, find }} onFind={setFind} onChoose={(name) => set({ group: name })} />
          {watched.length > 0 && (
            <Watched
              {...{ watched, values, before: before?.values }}
              onChoose={({ name }) => set({ group: splitName(name)[0], picked: name })}
            />
          )}
        </div>
        <div className="chip-main">
          {group === CORE ? (
            <CoreTable registers={core} />
          ) : (
            <ItemTable
              {...{ items: shownItems, values, before: before?.values, picked: picked?.name, drawn }}
              isLost={device.state !== "ready"}
              onPick={(name) => set({ picked: name })}
              onDraw={draw}
            />
          )}
          {group !== CORE && picked && (
            <ItemDetails
              key={picked.name}
              {...props}
              item={picked}
              isWatched={watched.includes(picked)}
              onWatch={() => watch(picked.name)}
              value={values.get(picked.name)}
              before={before?.values.get(picked.name)}
            />
          )}
          {items.length === 0 && <p className="chip-empty">{emptyWords(props)}</p>}
        </div>
      </div>
      {lanes.length > 0 && (
        <div className="chip-plot">
          <TimePlot {...plot} lanes={lanes} label={`${drawn.join(", ")} of ${device.name}`} />
        </div>
      )}
      <div className="panel-status">
        <span>
          {group === undefined ? "" : `${group}, ${group === CORE ? Object.keys(core).length : shownItems.length}`}
        </span>
        <span>{device.model}</span>
        <span className="grow" />
        <span>{periodWords(periodMs)}</span>
      </div>
    </>
  );
}

const emptyWords = (content: DeviceContent): string =>
  isListed(content)
    ? "Nothing is listed yet. Add variables from an ELF or SVD file, or by hand."
    : "It has not said what it holds yet.";

type GroupsProps = {
  names: readonly string[];
  groups: ReadonlyMap<string, readonly Item[]>;
  group: string | undefined;
  find: string;
  onFind: (text: string) => void;
  onChoose: (name: string) => void;
};

const Groups = ({ names, groups, group, find, onFind, onChoose }: GroupsProps) => (
  <nav className="chip-groups" aria-label="Peripherals">
    <span className="input">
      <Icon name="search" />
      <input aria-label="Find" placeholder="Find" value={find} onChange={(event) => onFind(event.target.value)} />
    </span>
    {names.map((name) => (
      <button key={name} type="button" aria-pressed={name === group} onClick={() => onChoose(name)}>
        <span className="cut">{name}</span>
        <small>{groups.get(name)?.length}</small>
      </button>
    ))}
  </nav>
);

type WatchedProps = {
  watched: readonly Item[];
  values: Known;
  before: Known | undefined;
  onChoose: (item: Item) => void;
};

/** What stays in sight, whatever peripheral is shown. */
const Watched = ({ watched, values, before, onChoose }: WatchedProps) => (
  <section className="chip-watched" aria-label="Watched">
    <h3>Watched</h3>
    {watched.map((item) => {
      const value = values.get(item.name);
      const isChanged = changeOf(item, value, before?.get(item.name)) !== undefined;
      return (
        <button key={item.name} type="button" data-watched={item.name} onClick={() => onChoose(item)}>
          <span className="cut">{item.name}</span>
          <span className={isChanged ? "strong" : "quiet"}>{valueWords(item, value)}</span>
        </button>
      );
    })}
  </section>
);

type ItemTableProps = {
  items: readonly Item[];
  values: Known;
  before: Known | undefined;
  picked: string | undefined;
  drawn: readonly string[];
  isLost: boolean;
  onPick: (name: string) => void;
  onDraw: (name: string) => void;
};

function ItemTable({ items, values, before, picked, drawn, isLost, onPick, onDraw }: ItemTableProps) {
  return (
    <div className="chip-table">
      <table className="series-table loose" data-lost={isLost}>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col" className="words wide-only">
              Address
            </th>
            <th scope="col">Value</th>
            <th scope="col" className="wide-only">
              Before
            </th>
            <th scope="col">Change</th>
            <th scope="col">
              <span className="sr">Draw over time</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => {
            const [value, was] = [values.get(item.name), before?.get(item.name)];
            const change = changeOf(item, value, was);
            const own = splitName(item.name)[1];
            return (
              <tr key={item.name} data-item={item.name} className={item.name === picked ? "on" : ""}>
                <th scope="row">
                  <button type="button" aria-pressed={item.name === picked} onClick={() => onPick(item.name)}>
                    {own}
                  </button>
                </th>
                <td className="words quiet wide-only chip-address">
                  {item.address === undefined ? "" : hexWords(item.address, 32)}
                </td>
                <td className={change === undefined ? "" : "strong"}>{valueWords(item, value)}</td>
                <td className="quiet wide-only">{change === undefined ? "" : valueWords(item, was)}</td>
                <td className="words-end">
                  {item.access === "once" ? (
                    <span className="quiet">on request</span>
                  ) : change === undefined ? (
                    <span className="quiet">same</span>
                  ) : (
                    <span className="badge accent">{change}</span>
                  )}
                </td>
                <td className="chip-draw">
                  <button
                    type="button"
                    aria-pressed={drawn.includes(item.name)}
                    aria-label={`Draw ${item.name} over time`}
                    onClick={() => onDraw(item.name)}
                  >
                    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
                      <path d="M1 10h3l2-6 3 9 2-5h4" fill="none" stroke="currentColor" strokeWidth="1.5" />
                    </svg>
                  </button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const CoreTable = ({ registers }: { registers: Readonly<Record<string, unknown>> }) => (
  <div className="chip-table">
    <table className="series-table loose">
      <thead>
        <tr>
          <th scope="col">Register</th>
          <th scope="col">Value</th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(registers).map(([name, value]) => (
          <tr key={name} data-item={name}>
            <th scope="row">{name}</th>
            <td>
              {valueWords({ name: `${CORE}.${name}`, type: "u32" }, typeof value === "number" ? value : undefined)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
