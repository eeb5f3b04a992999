import type { LogEntry } from "@backplane/contract/panels";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type RefObject, type UIEvent, useEffect, useId, useLayoutEffect } from "react";
import { copyText } from "../../../parts/copy-text.ts";
import { useMedia } from "../../browser-hooks.ts";
import { rowForKey, textOf, timeOf } from "./log-lines.ts";

/** The heights of a row, as in the styles. */
const ROW_PX = 18;
const TOUCH_ROW_PX = 32;
const OVERSCAN_ROWS = 12;
/** Zoomed pages scroll by fractions of pixels: this close to the end counts as the end. */
const END_TOLERANCE_PX = 4;

type Props = {
  lines: readonly LogEntry[];
  selected: number | undefined;
  isPaused: boolean;
  ref: RefObject<HTMLDivElement | null>;
  onSelect: (id: number | undefined) => void;
  onPause: () => void;
  onFollow: () => void;
};

/** Draws only the lines in view. Follows the newest line until somebody scrolls up or selects one. */
export function LogList({ lines, selected, isPaused, ref, onSelect, onPause, onFollow }: Props) {
  const id = useId();
  const rowPx = useMedia("(pointer: coarse)") ? TOUCH_ROW_PX : ROW_PX;
  const list = useVirtualizer({
    count: lines.length,
    getScrollElement: () => ref.current,
    estimateSize: () => rowPx,
    overscan: OVERSCAN_ROWS,
  });
  const rows = list.getVirtualItems();
  const total = list.getTotalSize();
  const height = list.scrollRect?.height ?? 0;
  const selectedRow = selected === undefined ? -1 : lines.findIndex((line) => line.id === selected);

  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of another height are measured again
  useEffect(() => list.measure(), [list, rowPx]);

  useLayoutEffect(() => {
    if (!isPaused && height > 0) ref.current?.scrollTo({ top: total, behavior: "instant" });
  }, [isPaused, height, total, ref]);

  const onScroll = ({ currentTarget: { scrollTop, clientHeight } }: UIEvent) => {
    // A hidden panel has no height.
    if (clientHeight === 0) return;
    if (scrollTop + clientHeight >= total - END_TOLERANCE_PX) onFollow();
    else onPause();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const line = lines[selectedRow];
    if ((event.ctrlKey || event.metaKey) && event.key === "c" && line && window.getSelection()?.isCollapsed !== false) {
      void copyText(textOf(line));
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && selected !== undefined) {
      event.stopPropagation();
      onSelect(undefined);
      return;
    }
    const from = selectedRow === -1 ? (list.range?.endIndex ?? -1) + 1 : selectedRow;
    const row = rowForKey(event.key, from, lines.length, Math.floor(height / rowPx) - 1);
    const next = row === undefined ? undefined : lines[row];
    if (row === undefined || !next) return;
    event.preventDefault();
    onSelect(next.id);
    list.scrollToIndex(row, { align: "auto", behavior: "instant" });
  };

  return (
    <div
      ref={ref}
      className="log-list"
      role="listbox"
      aria-label="Lines"
      tabIndex={0}
      aria-activedescendant={rows.some(({ index }) => index === selectedRow) ? `${id}-${selected}` : undefined}
      onKeyDown={onKeyDown}
      onScroll={onScroll}
    >
      <div className="log-all" role="presentation" style={{ height: total }}>
        <div className="log-drawn" role="presentation" style={{ translate: `0 ${rows[0]?.start ?? 0}px` }}>
          {lines.slice(rows[0]?.index ?? 0, (rows.at(-1)?.index ?? -1) + 1).map((line, at) => (
            <LogRow
              key={line.id}
              id={`${id}-${line.id}`}
              line={line}
              position={(rows[0]?.index ?? 0) + at + 1}
              count={lines.length}
              isSelected={line.id === selected}
              onSelect={() => onSelect(line.id)}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

type RowProps = {
  id: string;
  line: LogEntry;
  /** Counted from one, among `count` rows: most of them are not drawn. */
  position: number;
  count: number;
  isSelected: boolean;
  onSelect: () => void;
};

function LogRow({ id, line, position, count, isSelected, onSelect }: RowProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names its active row
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
    <div
      id={id}
      className={`log-row ${line.level}`}
      role="option"
      aria-selected={isSelected}
      aria-setsize={count}
      aria-posinset={position}
      onClick={onSelect}
    >
      <span className="log-time">{timeOf(line)}</span>
      <span className="log-level">{line.level}</span>
      <span className="log-source">{line.source}</span>
      <span className="log-message">{line.message}</span>
    </div>
  );
}
