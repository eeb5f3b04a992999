import type { Box } from "@backplane/kicad/drawing";
import type { SheetInstance } from "@backplane/kicad/schematic";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, lazy, Suspense, useEffect, useId, useRef, useState, useSyncExternalStore } from "react";
import { Icon } from "../../../parts/icon.tsx";
import { Segmented } from "../../../parts/segmented.tsx";
import { isDrawn, VirtualRows } from "../../parts/virtual-rows.tsx";
import { nameOf } from "../project-files/paths.ts";
import { findItems } from "./find-items.ts";
import type { Session } from "./session.ts";
import { itemWords, kindWords } from "./words.ts";

const ReplaceText = lazy(() => import("./replace-text.tsx").then((m) => ({ default: m.ReplaceText })));

export type ListName = "sheets" | "nets" | "items";
type Props = {
  session: Session;
  list: ListName;
  onList: (list: ListName | undefined) => void;
  onGo: (path: string) => void;
  onReveal: (box: Box) => void;
};

/** What there is: sheets, nets, and the items on the sheets. The keyboard and screen readers reach every item here. */
export function Lists({ session, list, onList, onGo, onReveal }: Props) {
  return (
    <aside className="schematic-lists" aria-label="Lists">
      <Segmented
        label="List"
        choices={[
          ["sheets", "Sheets"],
          ["nets", "Nets"],
          ["items", "Items"],
        ]}
        value={list}
        onChange={onList}
      />
      {list === "sheets" && <SheetList session={session} onGo={onGo} />}
      {list === "nets" && <NetList session={session} />}
      {list === "items" && (
        <ItemList session={session} onGo={onGo} onReveal={onReveal} onLeave={() => onList(undefined)} />
      )}
    </aside>
  );
}

const depthOf = (sheet: SheetInstance): number => (sheet.parent ? depthOf(sheet.parent) + 1 : 0);

function SheetList({ session, onGo }: { session: Session; onGo: (path: string) => void }) {
  const { design, sheet: shown } = useSyncExternalStore(session.subscribe, session.state);
  return (
    <div className="schematic-rows">
      {design?.sheets.map((sheet) => (
        <button
          key={sheet.path}
          type="button"
          className="schematic-row"
          style={{ paddingInlineStart: 8 + 14 * depthOf(sheet) }}
          aria-current={sheet.path === shown?.path || undefined}
          onClick={() => onGo(sheet.path)}
        >
          {sheet.sheet?.name ?? nameOf(sheet.file)}
        </button>
      ))}
      {design?.faults.map(({ sheet, parent, reason }) => (
        <p key={`${parent.path}/${sheet.uuid}`} className="schematic-fault">
          <Icon name="warning" />
          <span>
            {sheet.name}: {reason}
          </span>
        </p>
      ))}
    </div>
  );
}

/** The nets of the sheet that is shown. One that is chosen is highlighted on every sheet. */
function NetList({ session }: { session: Session }) {
  const { sheet, net: shown } = useSyncExternalStore(session.subscribe, session.state);
  const nets = (session.nets()?.nets ?? []).filter(
    ({ name, pins, labels }) =>
      name !== "" &&
      pins.length + labels.length > 1 &&
      [...pins, ...labels].some((part) => part.sheet.path === sheet?.path),
  );
  return (
    <div className="schematic-rows">
      {nets.length === 0 && <p className="schematic-count">Nothing is connected on this sheet.</p>}
      {nets
        .map((net) => ({ ...net, className: session.classOf(net).name }))
        .map(({ name, pins, className }) => (
          <button
            key={name}
            type="button"
            className="schematic-row"
            aria-pressed={name === shown}
            onClick={() => session.highlight(name === shown ? undefined : name)}
          >
            <span className="cut">{name}</span>
            <span className="muted">
              {className === "Default" ? "" : `${className}, `}
              {pins.length} {pins.length === 1 ? "pin" : "pins"}
            </span>
          </button>
        ))}
    </div>
  );
}

const ROW_PX = 28;

type ItemsProps = Pick<Props, "session" | "onGo" | "onReveal"> & { onLeave: () => void };

function ItemList({ session, onGo, onReveal, onLeave }: ItemsProps) {
  const { sheet: shown, selection } = useSyncExternalStore(session.subscribe, session.state);
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(-1);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const rows = findItems(session, typed);
  const canReplace = typed.trim() !== "" && session.readOnly() === undefined;
  const active = Math.min(chosen, rows.length - 1);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
  });

  useEffect(() => input.current?.focus(), []);

  const take = (place: number) => {
    const row = rows[place];
    setChosen(place);
    if (!row) return;
    list.scrollToIndex(place, { align: "auto" });
    if (row.sheet.path !== shown?.path) session.goTo(row.sheet.path);
    session.select([row.id]);
    const box = session.selectedDrawn()[0]?.box;
    if (box) onReveal(box);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (step !== undefined) take(Math.max(0, Math.min(rows.length - 1, active + step)));
    else if (event.key === "Enter" && active === -1) take(0);
    else if (event.key === "Enter") {
      const row = rows[active];
      if (row) onGo(session.state().sheet?.path ?? row.sheet.path);
    } else if (event.key === "Escape") onLeave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <>
      <div className="input schematic-find">
        <Icon name="search" />
        <input
          ref={input}
          role="combobox"
          aria-label="Find on all sheets"
          aria-expanded={rows.length > 0}
          aria-controls={`${id}-rows`}
          aria-activedescendant={isDrawn(list, active) ? `${id}-${active}` : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
          placeholder="Find on all sheets"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setChosen(-1);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <Suspense>{canReplace && <ReplaceText session={session} typed={typed} />}</Suspense>
      <p className="schematic-count" role="status">
        {rows.length === 0 ? "Nothing found" : `${rows.length} ${rows.length === 1 ? "item" : "items"}`}
      </p>
      <div ref={scroller} id={`${id}-rows`} className="schematic-rows" role="listbox" aria-label="Items">
        <VirtualRows list={list} rows={rows}>
          {(row, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keyboard, and names the active row
            <div
              key={`${row.sheet.path} ${row.id}`}
              id={`${id}-${index}`}
              className="schematic-row"
              role="option"
              tabIndex={-1}
              aria-selected={selection.has(row.id)}
              aria-setsize={rows.length}
              aria-posinset={index + 1}
              onClick={() => take(index)}
            >
              <span className="cut">{itemWords(row.item, row.sheet)}</span>
              <span className="muted">
                {row.sheet.path === shown?.path
                  ? row.item.kind === "symbol"
                    ? kindWords(row.item)
                    : ""
                  : row.sheet.name}
              </span>
            </div>
          )}
        </VirtualRows>
      </div>
    </>
  );
}
