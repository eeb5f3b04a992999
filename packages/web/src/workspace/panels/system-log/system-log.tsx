import { type RefObject, useCallback, useMemo, useState, useSyncExternalStore } from "react";
import { faultWords } from "../../../calls/fault-words.ts";
import { Button } from "../../../parts/button.tsx";
import { Note } from "../../../parts/note.tsx";
import type { PanelContext } from "../../panel.ts";
import { ChosenLine } from "./chosen-line.tsx";
import { filterLines, sourcesOf } from "./lines.ts";
import { LogList } from "./log-list.tsx";
import { type LogStore, logPath } from "./log-store.ts";
import { LogTools } from "./log-tools.tsx";
import { NoLines, NothingMatches } from "./no-lines.tsx";
import { useAnnouncement } from "./use-announcement.ts";
import { useChoice } from "./use-choice.ts";
import { useFollow } from "./use-follow.ts";

type Props = { context: PanelContext; store: LogStore; list: RefObject<HTMLDivElement | null> };

export function SystemLog({ context, store, list }: Props) {
  const { lines, isLoaded, fault } = useSyncExternalStore(store.subscribe, store.view);
  const { choice, choose } = useChoice(context);
  const { isPaused, shown, fresh, pause, resume } = useFollow(lines);
  const [chosen, setChosen] = useState<number>();
  const { search, level, source } = choice;
  const rows = useMemo(() => filterLines(shown, { search, level, source }), [shown, search, level, source]);
  const freshRows = useMemo(() => filterLines(fresh, { search, level, source }), [fresh, search, level, source]);
  const sources = useMemo(() => sourcesOf(lines, source), [lines, source]);
  const chosenLine = chosen === undefined ? undefined : rows.find(({ id }) => id === chosen);
  const announced = useAnnouncement(lines, isLoaded);

  const follow = useCallback(() => {
    setChosen(undefined);
    resume();
    list.current?.focus({ preventScroll: true });
  }, [resume, list]);
  /** Somebody reads a line: it stays where it is. */
  const choosePaused = useCallback(
    (id: number | undefined) => {
      setChosen(id);
      if (id !== undefined) pause();
    },
    [pause],
  );
  const resumeAtEnd = useCallback(() => {
    if (chosen === undefined) resume();
  }, [chosen, resume]);

  return (
    <div className="panel-root">
      <LogTools
        choice={choice}
        sources={sources}
        isPaused={isPaused}
        fresh={freshRows.length}
        onChoose={(patch) => void choose(patch)}
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
      {/* Not live itself: lines come and go with scrolling. What matters is said below. */}
      <div className="panel-view" role="log" aria-live="off" aria-label="System log" aria-busy={!isLoaded}>
        {rows.length > 0 && (
          <LogList
            ref={list}
            lines={rows}
            chosen={chosen}
            isPaused={isPaused}
            onChoose={choosePaused}
            onPause={pause}
            onFollow={resumeAtEnd}
          />
        )}
        {rows.length === 0 && lines.length > 0 && (
          <NothingMatches
            hidden={lines.length}
            onShowAll={() => void choose({ search: null, source: null, level: "debug" })}
          />
        )}
        {lines.length === 0 && isLoaded && (
          <NoLines origin={window.location.origin} path={logPath(context.workspace)} />
        )}
        {lines.length === 0 && !isLoaded && !fault && <p className="panel-message loading">Loading the log</p>}
      </div>
      {chosenLine && <ChosenLine line={chosenLine} onClose={follow} />}
      <p className="sr" role="status">
        {announced}
      </p>
    </div>
  );
}
