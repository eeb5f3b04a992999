import "../system-log/system-log.css";
import "./robot-log.css";
import { DEVICES_LIMITS, type Device } from "@backplane/contract/devices";
import { type JsonObject, LOG_LEVELS, type LogLevel } from "@backplane/contract/panels";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { Segmented } from "../../../parts/segmented.tsx";
import { Select } from "../../../parts/select.tsx";
import { State } from "../../../parts/state.tsx";
import { clock } from "../../../parts/times.ts";
import { ChooseDevice } from "../../device-panel/choose-device.tsx";
import { fittingOf } from "../../device-panel/fitting.ts";
import { useClock, useClockMode, useDeviceList } from "../../device-panel/use-devices.ts";
import type { MountPanel, PanelContext } from "../../panel.ts";
import { pageBeat } from "../../parts/beat.ts";
import { reactPanel, usePanelState } from "../react-panel.tsx";
import { filterLines, filterOf, sourcesOf, timeOf } from "../system-log/log-lines.ts";
import { LogList } from "../system-log/log-list.tsx";
import { LogSearch } from "../system-log/log-tools.tsx";
import { type Bar, barsOf, createRobotLines, foldLines, type RobotLine, type Storm, stormsOf } from "./robot-lines.ts";

export const mount: MountPanel = (element, context) =>
  reactPanel(element, <RobotLog context={context} />, {
    focus: () => element.querySelector<HTMLElement>(".log-list, input, button")?.focus(),
  });

const BARS = 60;
/** The first lines of a robot fill the picture, too. */
const SHORTEST_MS = 30_000;
const EVERY_MS = 250;

function RobotLog({ context }: { context: PanelContext }) {
  const { devices, setState, setTitle, catalogPanel } = context;
  const state = usePanelState(context);
  const list = useDeviceList(devices);
  const all = useLines(context);
  const device = typeof state.device === "string" ? state.device : undefined;
  const { search, level, source } = filterOf(state);
  const ofDevice = useMemo(
    () => (device === undefined ? all : all.filter((line) => line.device === device)),
    [all, device],
  );
  const found = useMemo(
    () => filterLines(ofDevice, { search, level, source }) as readonly RobotLine[],
    [ofDevice, search, level, source],
  );
  const change = (patch: JsonObject) => void setState(patch).catch(reportError);
  useEffect(() => setTitle(catalogPanel?.name), [setTitle, catalogPanel]);

  const shows = catalogPanel?.shows ?? [];
  if (all.length === 0 && fittingOf(list, shows).every(({ device: { state: now } }) => now !== "ready")) {
    const chosen = { context, shows, all: fittingOf(list, shows), noun: "robot" };
    return (
      <div className="panel-root">
        <ChooseDevice {...chosen} onChoose={(id) => change({ device: id })} />
      </div>
    );
  }
  const robotIds = new Set([...all.map((line) => line.device), ...(device === undefined ? [] : [device])]);
  const lost = list.filter(
    ({ id, state: now }) => now === "lost" && (device === undefined ? robotIds.has(id) : id === device),
  );
  const names = new Map(list.map(({ id, name }) => [id, name]));
  const robots = [...robotIds].sort();
  return (
    <div className="panel-root robot-log">
      <div className="panel-tools log-tools">
        <Select
          aria-label="Robot"
          value={device ?? ""}
          onChange={({ target: { value } }) => change({ device: value === "" ? null : value })}
        >
          <option value="">All devices</option>
          {robots.map((id) => (
            <option key={id} value={id}>
              {names.get(id) ?? id}
            </option>
          ))}
        </Select>
        <Segmented
          label="Least level"
          choices={LEVEL_CHOICES}
          value={level}
          onChange={(wanted) => change({ level: wanted })}
        />
        <Select
          aria-label="Source"
          value={source ?? ""}
          onChange={({ target: { value } }) => change({ source: value === "" ? null : value })}
        >
          <option value="">All sources</option>
          {sourcesOf(ofDevice, source).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
        <LogSearch search={search} onSearch={(words) => change({ search: words === "" ? null : words })} />
      </div>
      <Gone {...{ context, lost }} />
      <Lines {...{ context, ofDevice, found }} />
    </div>
  );
}

/** A robot that is gone says nothing more: silence would look like peace. */
function Gone({ context, lost }: { context: PanelContext; lost: readonly Device[] }) {
  const now = new Date(useClock(context, 1_000));
  if (useClockMode(context) === "replay" || lost.length === 0) return null;
  const [first] = lost;
  return (
    <p className="robot-gone" role="status">
      <State
        tone="danger"
        word={
          lost.length === 1 && first
            ? `${first.name} lost at ${clock(new Date(first.lastSeenAt), now)}`
            : `${lost.length} robots lost: ${lost.map(({ name }) => name).join(", ")}`
        }
      />
    </p>
  );
}

/** At most four times per second: a burst does not draw the list for every line. */
function useLines(context: PanelContext): readonly RobotLine[] {
  const { devices } = context;
  const store = useMemo(() => createRobotLines(), []);
  const [lines, setLines] = useState(store.lines);
  useEffect(() => {
    let isNew = false;
    const stop = devices.onLines((said) => {
      store.take(said);
      isNew = true;
    });
    const stopBeat = pageBeat.add(context, EVERY_MS, () => {
      if (isNew) setLines(store.lines());
      isNew = false;
    });
    return () => {
      stop();
      stopBeat();
    };
  }, [context, devices, store]);
  return lines;
}

const LEVEL_WORDS: Record<LogLevel, string> = { debug: "Debug", info: "Info", warn: "Warn", error: "Error" };
const LEVEL_CHOICES = LOG_LEVELS.map((level) => [level, LEVEL_WORDS[level]] as const);

type LinesProps = { context: PanelContext; ofDevice: readonly RobotLine[]; found: readonly RobotLine[] };

function Lines({ context, ofDevice, found }: LinesProps) {
  const ref = useRef<HTMLDivElement>(null);
  const mode = useClockMode(context);
  const [held, setHeld] = useState<readonly RobotLine[]>();
  const [selected, setSelected] = useState<number>();
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const { rows, folds } = useMemo(() => foldLines(held ?? found, opened), [held, found, opened]);
  const storms = useMemo(() => stormsOf(ofDevice), [ofDevice]);
  const line = rows.find(({ id }) => id === selected);
  const newest = useRef(found);
  newest.current = found;

  const pause = useCallback(() => setHeld((now) => now ?? newest.current), []);
  const follow = useCallback(() => {
    setSelected(undefined);
    setHeld(undefined);
  }, []);
  const select = (id: number | undefined) => {
    if (id !== undefined && folds.has(id)) {
      setOpened((before) => new Set(before).add(id));
      return;
    }
    setSelected(id);
    if (id !== undefined) pause();
    const at = rows.find((row) => row.id === id);
    // One time cursor: in a replay a line leads all panels to its time.
    if (at && mode === "replay") void context.devices.replay({ atMs: at.tMs });
  };
  const resumeAtEnd = useCallback(() => {
    if (selected === undefined) setHeld(undefined);
  }, [selected]);

  return (
    <>
      <Histogram {...{ context, lines: ofDevice, storms, at: line?.tMs }} />
      <div className="panel-view" role="log" aria-live="off" aria-label="Robot log">
        {rows.length > 0 ? (
          <LogList
            {...{ ref, lines: rows, selected, isPaused: held !== undefined }}
            onSelect={select}
            onPause={pause}
            onFollow={resumeAtEnd}
          />
        ) : (
          <p className="panel-message">{ofDevice.length === 0 ? "Nothing was said yet." : "No line matches."}</p>
        )}
      </div>
      {(line || held) && <Cursor {...{ line, newLines: found.length - (held?.length ?? 0) }} onFollow={follow} />}
      <Summary {...{ context, lines: ofDevice, storms }} />
    </>
  );
}

function Cursor({ line, newLines, onFollow }: { line: RobotLine | undefined; newLines: number; onFollow: () => void }) {
  return (
    <section className="robot-cursor" aria-label="Selected line">
      {line ? (
        <p>
          <b>{timeOf(line)}</b> <span className="muted">{line.device}</span>{" "}
          <span className="log-whole">{line.message}</span>
          {line.fields && (
            <span className="robot-fields">
              {Object.entries(line.fields).map(([name, value]) => (
                <span key={name}>
                  <span className="muted">{name}</span> {typeof value === "string" ? value : JSON.stringify(value)}
                </span>
              ))}
            </span>
          )}
        </p>
      ) : (
        <p className="muted">{newLines > 0 ? `${newLines} new lines below` : "Paused"}</p>
      )}
      <Button size="small" onClick={onFollow}>
        Follow again
      </Button>
    </section>
  );
}

type PastProps = { context: PanelContext; lines: readonly RobotLine[]; storms: readonly Storm[] };

function Histogram({ context, lines, storms, at }: PastProps & { at: number | undefined }) {
  const nowMs = useClock(context, 1_000);
  const first = lines[0]?.tMs ?? nowMs;
  const fromMs = Math.min(nowMs - SHORTEST_MS, Math.max(first, nowMs - DEVICES_LIMITS.keptMs));
  const bars = barsOf(lines, BARS, fromMs, nowMs);
  const most = Math.max(1, ...bars.map(sumOf));
  const placeOf = (tMs: number) => (tMs - fromMs) / (nowMs - fromMs);
  const cursor = at === undefined ? undefined : placeOf(at);
  return (
    <div className="robot-bars" aria-hidden="true">
      {bars.map((bar, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place in time
        <span key={place}>
          {(["error", "warn", "quiet"] as const).map((tone) => (
            <i key={tone} className={tone} style={{ height: `${(100 * bar[tone]) / most}%` }} />
          ))}
        </span>
      ))}
      {storms
        .filter(({ tMs }) => placeOf(tMs) >= 0)
        .map((storm) => (
          <em
            key={`${storm.tMs} ${storm.device} ${storm.source}`}
            title={stormWords(storm)}
            style={{ left: `${100 * placeOf(storm.tMs)}%` }}
          >
            storm
          </em>
        ))}
      {cursor !== undefined && cursor >= 0 && cursor <= 1 && <b style={{ left: `${100 * cursor}%` }} />}
    </div>
  );
}

const sumOf = ({ quiet, warn, error }: Bar): number => quiet + warn + error;

const stormWords = ({ source, count }: Storm): string => `Storm: ${count.toLocaleString("en")} lines of ${source}`;

function Summary({ context, lines, storms }: PastProps) {
  const nowMs = useClock(context, 1_000);
  const count = (level: LogLevel) => lines.filter((line) => line.level === level).length;
  const [warnings, errors] = [count("warn"), count("error")];
  const perSecond = lines.filter(({ tMs }) => tMs > nowMs - 5_000 && tMs <= nowMs).length / 5;
  return (
    <div className="panel-status">
      <span>{lines.length.toLocaleString("en")} lines kept</span>
      <span className="grow" />
      <span>{perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)} lines/s</span>
      {storms.length > 0 && (
        <span className="warn" title={storms.map(stormWords).join("; ")}>
          {storms.length === 1 ? "1 storm" : `${storms.length} storms`}
        </span>
      )}
      {warnings > 0 && <span className="warn">{warnings === 1 ? "1 warning" : `${warnings} warnings`}</span>}
      {errors > 0 && (
        <span className="danger">
          <Icon name="warning" /> {errors === 1 ? "1 error" : `${errors} errors`}
        </span>
      )}
    </div>
  );
}
