import type { LogEntry } from "@backplane/contract/panels";
import { type KeyboardEvent, type RefObject, useCallback, useId, useLayoutEffect, useRef } from "react";
import { copyText } from "../../../parts/copy-text.ts";
import { textOf } from "./lines.ts";
import { LogRow } from "./log-row.tsx";
import { useViewport } from "./use-viewport.ts";
import { isAtEnd, rangeOf, rowFor, scrollFor, type Viewport } from "./window.ts";

type Props = {
  lines: readonly LogEntry[];
  chosen: number | undefined;
  isPaused: boolean;
  ref: RefObject<HTMLDivElement | null>;
  onChoose: (id: number | undefined) => void;
  onPause: () => void;
  onFollow: () => void;
};

/** The lines in view and a few around them, in a box as high as all of them. */
export function LogList({ lines, chosen, isPaused, ref, onChoose, onPause, onFollow }: Props) {
  const id = useId();
  const count = useRef(lines.length);
  count.current = lines.length;
  const scrolled = useCallback(
    (now: Viewport) => {
      // A hidden panel has no height, and nobody scrolls it.
      if (now.height === 0) return;
      if (isAtEnd(now, count.current)) onFollow();
      else onPause();
    },
    [onFollow, onPause],
  );
  const viewport = useViewport(ref, scrolled);
  const { first, end } = rangeOf(viewport, lines.length);
  const { height, rowPx } = viewport;
  const total = lines.length * rowPx;
  const chosenRow = chosen === undefined ? -1 : lines.findIndex((line) => line.id === chosen);

  useLayoutEffect(() => {
    if (!isPaused && height > 0) ref.current?.scrollTo({ top: total, behavior: "instant" });
  }, [isPaused, height, total, ref]);

  const press = (event: KeyboardEvent) => {
    const line = lines[chosenRow];
    if ((event.ctrlKey || event.metaKey) && event.key === "c" && line && window.getSelection()?.isCollapsed !== false) {
      void copyText(textOf(line));
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && chosen !== undefined) {
      event.stopPropagation();
      onChoose(undefined);
      return;
    }
    const row = rowFor(event.key, chosenRow, lines.length, viewport);
    const next = row === undefined ? undefined : lines[row];
    if (row === undefined || !next) return;
    event.preventDefault();
    onChoose(next.id);
    ref.current?.scrollTo({ top: scrollFor(viewport, row), behavior: "instant" });
  };

  return (
    <div
      ref={ref}
      className="log-list"
      role="listbox"
      aria-label="Lines"
      tabIndex={0}
      aria-activedescendant={chosenRow >= first && chosenRow < end ? `${id}-${chosen}` : undefined}
      onKeyDown={press}
    >
      <div className="log-all" role="presentation" style={{ height: total }}>
        <div className="log-drawn" role="presentation" style={{ translate: `0 ${first * rowPx}px` }}>
          {lines.slice(first, end).map((line, at) => (
            <LogRow
              key={line.id}
              id={`${id}-${line.id}`}
              line={line}
              place={first + at + 1}
              of={lines.length}
              isChosen={line.id === chosen}
              onChoose={() => onChoose(line.id)}
            />
          ))}
        </div>
      </div>
    </div>
  );
}
