import "./system-log.css";
import type { JsonObject, LogEntry } from "@backplane/contract/panels";
import {
  createRef,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { faultWords } from "../../../calls/fault-words.ts";
import { Button } from "../../../parts/button.tsx";
import { Command } from "../../../parts/command.tsx";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { Note } from "../../../parts/note.tsx";
import type { MountPanel, PanelContext } from "../../panel.ts";
import { reactPanel, usePanelState } from "../react-panel.tsx";
import { announcementOf, filterLines, filterOf, sourcesOf, textOf, timeOf, writeCommand } from "./log-lines.ts";
import { LogList } from "./log-list.tsx";
import { createLogStore, type LogStore, logPath } from "./log-store.ts";
import { LogTools } from "./log-tools.tsx";

/** Warnings are announced together, not one by one. */
const ANNOUNCE_EVERY_MS = 4_000;

export const mount: MountPanel = (element, context) => {
  const store = createLogStore(context);
  const list = createRef<HTMLDivElement>();
  void store.load();
  return reactPanel(element, <SystemLog context={context} store={store} list={list} />, {
    focus: () => list.current?.focus(),
    dispose: store.dispose,
  });
};

type Props = { context: PanelContext; store: LogStore; list: RefObject<HTMLDivElement | null> };

function SystemLog({ context, store, list }: Props) {
  const { lines, isLoaded, fault } = useSyncExternalStore(store.subscribe, store.view);
  const { filter, setFilter } = useFilter(context);
  const { isPaused, shown, added, pause, resume } = usePause(lines);
  const [selected, setSelected] = useState<number>();
  const { search, level, source } = filter;
  const rows = useMemo(() => filterLines(shown, { search, level, source }), [shown, search, level, source]);
  const addedRows = useMemo(() => filterLines(added, { search, level, source }), [added, search, level, source]);
  const sources = useMemo(() => sourcesOf(lines, source), [lines, source]);
  const selectedLine = selected === undefined ? undefined : rows.find(({ id }) => id === selected);
  const announcement = useAnnouncement(lines, isLoaded);

  const follow = useCallback(() => {
    setSelected(undefined);
    resume();
    list.current?.focus({ preventScroll: true });
  }, [resume, list]);
  const select = useCallback(
    (id: number | undefined) => {
      setSelected(id);
      if (id !== undefined) pause();
    },
    [pause],
  );
  const resumeAtEnd = useCallback(() => {
    if (selected === undefined) resume();
  }, [selected, resume]);

  return (
    <div className="panel-root">
      <LogTools
        filter={filter}
        sources={sources}
        isPaused={isPaused}
        newLines={addedRows.length}
        onFilter={(patch) => void setFilter(patch)}
        onFollow={follow}
      />
      {fault && (
        <div className="log-fault">
          <Note tone="danger" role="alert">
            Earlier lines are missing. {faultWords(fault)}{" "}
            <Button size="small" look="quiet" onClick={() => void store.load()}>
              Load them
            </Button>
          </Note>
        </div>
      )}
      {/* Not a live region: lines appear and disappear with scrolling. The status below announces what matters. */}
      <div className="panel-view" role="log" aria-live="off" aria-label="System log" aria-busy={!isLoaded}>
        {rows.length > 0 && (
          <LogList
            ref={list}
            lines={rows}
            selected={selected}
            isPaused={isPaused}
            onSelect={select}
            onPause={pause}
            onFollow={resumeAtEnd}
          />
        )}
        {rows.length === 0 && lines.length > 0 && (
          <NothingMatches
            hidden={lines.length}
            onShowAll={() => void setFilter({ search: null, source: null, level: "debug" })}
          />
        )}
        {lines.length === 0 && isLoaded && (
          <NoLines command={writeCommand(window.location.origin, logPath(context.workspace))} />
        )}
        {lines.length === 0 && !isLoaded && !fault && <p className="panel-message loading">Loading the log</p>}
      </div>
      {selectedLine && <SelectedLine line={selectedLine} onClose={follow} />}
      <p className="sr" role="status">
        {announcement}
      </p>
    </div>
  );
}

/** The filter is part of the tab, so that everybody sees the same lines. A change here takes effect here at once. */
function useFilter(context: PanelContext) {
  const state = usePanelState(context);
  const [local, setLocal] = useState<JsonObject>({});

  const setFilter = async (patch: JsonObject) => {
    setLocal((now) => ({ ...now, ...patch }));
    try {
      await context.setState(patch);
    } catch {
      // The others do not see it then. It still applies here.
      return;
    }
    setLocal((now) => Object.fromEntries(Object.entries(now).filter(([key, value]) => patch[key] !== value)));
  };

  return { filter: filterOf({ ...state, ...local }), setFilter };
}

/** While paused, the lines of that moment are kept, so that nothing moves even when the oldest lines are dropped. */
function usePause(lines: readonly LogEntry[]) {
  const [held, setHeld] = useState<readonly LogEntry[]>();
  const newest = useRef(lines);
  newest.current = lines;
  const pause = useCallback(() => setHeld((now) => now ?? newest.current), []);
  const resume = useCallback(() => setHeld(undefined), []);
  const lastHeld = held?.at(-1)?.id ?? -1;
  return {
    isPaused: held !== undefined,
    shown: held ?? lines,
    added: held ? lines.filter(({ id }) => id > lastHeld) : [],
    pause,
    resume,
  };
}

/** Announces the lines that arrive from now on to a screen reader. */
function useAnnouncement(lines: readonly LogEntry[], isLoaded: boolean): string {
  const [words, setWords] = useState("");
  const latest = useRef(lines);
  latest.current = lines;

  useEffect(() => {
    if (!isLoaded) return;
    let lastId = latest.current.at(-1)?.id ?? -1;
    const timer = setInterval(() => {
      const added = latest.current.filter(({ id }) => id > lastId);
      lastId = latest.current.at(-1)?.id ?? lastId;
      if (added.length > 0) setWords(announcementOf(added) ?? "");
    }, ANNOUNCE_EVERY_MS);
    return () => clearInterval(timer);
  }, [isLoaded]);

  return words;
}

function NoLines({ command }: { command: string }) {
  return (
    <div className="panel-message">
      <Icon name="info" />
      <h3>No lines yet</h3>
      <p>The log shows what happens in this workspace. A program writes a line with:</p>
      <div className="copy">
        <Command text={command} />
        <CopyButton text={command} />
      </div>
    </div>
  );
}

function NothingMatches({ hidden, onShowAll }: { hidden: number; onShowAll: () => void }) {
  return (
    <div className="panel-message">
      <Icon name="search" />
      <h3>No line matches</h3>
      <p>
        {hidden} {hidden === 1 ? "line is" : "lines are"} hidden by the search, the source or the level.
      </p>
      <Button onClick={onShowAll}>Show all lines</Button>
    </div>
  );
}

/** The whole text of a line: its row has no room for it. */
function SelectedLine({ line, onClose }: { line: LogEntry; onClose: () => void }) {
  return (
    <section className="log-selected" aria-label="Selected line">
      <p>
        <span className="muted">
          <time dateTime={line.at}>
            {new Date(line.at).toLocaleDateString()} {timeOf(line)}
          </time>{" "}
          {line.level} {line.source}
        </span>
        <span className="log-whole">{line.message}</span>
      </p>
      <CopyButton text={textOf(line)} />
      <button className="icon-btn small" type="button" aria-label="Close line" onClick={onClose}>
        <Icon name="close" />
      </button>
    </section>
  );
}
