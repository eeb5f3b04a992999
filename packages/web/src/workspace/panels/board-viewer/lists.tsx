import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { Icon } from "../../../parts/icon.tsx";
import { Segmented } from "../../../parts/segmented.tsx";
import type { PanelContext } from "../../panel.ts";
import { isDrawn, VirtualRows } from "../../parts/virtual-rows.tsx";
import { NetDetails, PartDetails } from "./details.tsx";
import { layerRows } from "./layers.ts";
import type { Models } from "./models/load-models.ts";
import type { ShownPin } from "./pins.ts";
import type { Choose, Picks } from "./use-picks.ts";
import type { BoardSummary } from "./worker/messages.ts";

export type ListName = "layers" | "parts" | "nets";

type Props = {
  context: PanelContext;
  board: BoardSummary;
  models: Models | undefined;
  picks: Picks;
  choose: Choose;
  pins: readonly ShownPin[];
  mayAdd: boolean;
  list: ListName;
  isOpen: boolean;
  onList: (list: ListName) => void;
  onReveal: (part: number) => void;
  onClose: () => void;
};

/** What there is: layers, parts and nets. The keyboard and screen readers reach everything here. */
export function BoardLists({
  context,
  board,
  models,
  picks,
  choose,
  pins,
  mayAdd,
  list,
  isOpen,
  onList,
  onReveal,
  onClose,
}: Props) {
  return (
    <aside className="board-lists" aria-label="Lists">
      <Segmented
        label="List"
        choices={[
          ["layers", "Layers"],
          ["parts", "Parts"],
          ["nets", "Nets"],
        ]}
        value={list}
        onChange={onList}
      />
      {list === "layers" && <LayerList {...{ board, picks, choose }} />}
      {list === "parts" && (
        <FindList
          label="Find a part"
          takesFocus={isOpen}
          rows={board.parts.map(({ name, value, footprint, side }, place) => ({
            ...{ place, words: name, more: value, isPicked: place === picks.part },
            text: `${name} ${value} ${footprint} ${side}`,
          }))}
          onTake={(place) => {
            choose.part(place);
            const side = board.parts[place]?.side;
            if (side && side !== picks.side) choose.side(side);
            onReveal(place);
          }}
          onLeave={onClose}
        />
      )}
      {list === "nets" && (
        <FindList
          label="Find a net"
          takesFocus={isOpen}
          rows={board.nets.map(({ name, padCount }, place) => ({
            ...{ place, words: name, more: `${padCount} ${padCount === 1 ? "pad" : "pads"}` },
            ...{ isPicked: place === picks.net, text: name },
          }))}
          onTake={(place) => choose.net(place === picks.net ? -1 : place)}
          onLeave={onClose}
        />
      )}
      <div className="board-details">
        {picks.net >= 0 && <NetDetails {...{ board, net: picks.net }} onClear={() => choose.net(-1)} />}
        {picks.part >= 0 && (
          <PartDetails
            {...{ context, board, part: picks.part, pins, picks, choose, mayAdd }}
            model={models?.words.get(picks.part)}
            onClear={() => choose.part(-1)}
          />
        )}
      </div>
    </aside>
  );
}

function LayerList({ board, picks, choose }: Pick<Props, "board" | "picks" | "choose">) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div className="board-rows" role="group" aria-label="Layers">
      {layerRows(board.layers).map(({ name, words }) => (
        <label key={name} className="board-row">
          <input type="checkbox" checked={picks.layers.includes(name)} onChange={() => choose.toggleLayer(name)} />
          <span className="cut">{words}</span>
        </label>
      ))}
    </div>
  );
}

type FindRow = { place: number; words: string; more: string; text: string; isPicked: boolean };
type FindProps = {
  label: string;
  rows: readonly FindRow[];
  takesFocus: boolean;
  onTake: (place: number) => void;
  onLeave: () => void;
};

const ROW_PX = 28;

/** Rows with all the typed words. Arrow keys choose, Enter takes. */
function FindList({ label, rows, takesFocus, onTake, onLeave }: FindProps) {
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = rows.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
  const active = Math.min(chosen, found.length - 1);
  const list = useVirtualizer({
    count: found.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
  });

  useEffect(() => {
    if (takesFocus) input.current?.focus();
  }, [takesFocus]);

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (step !== undefined) {
      const next = Math.max(0, Math.min(found.length - 1, active + step));
      setChosen(next);
      if (next >= 0) list.scrollToIndex(next, { align: "auto" });
    } else if (event.key === "Enter") {
      const row = found[active];
      if (row) onTake(row.place);
    } else if (event.key !== "Escape") return;
    else onLeave();
    event.stopPropagation();
    event.preventDefault();
  };

  return (
    <>
      <div className="input board-find">
        <Icon name="search" />
        <input
          ref={input}
          role="combobox"
          aria-label={label}
          aria-expanded={found.length > 0}
          aria-controls={`${id}-rows`}
          aria-activedescendant={isDrawn(list, active) ? `${id}-${active}` : undefined}
          placeholder={label}
          value={typed}
          maxLength={100}
          spellCheck={false}
          autoComplete="off"
          aria-autocomplete="list"
          onChange={(event) => {
            setTyped(event.target.value);
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <p className="board-count" role="status">
        {found.length === 0 ? "Nothing found" : `${found.length} of ${rows.length}`}
      </p>
      <div ref={scroller} id={`${id}-rows`} className="board-rows" role="listbox" aria-label={label}>
        <VirtualRows list={list} rows={found}>
          {(row, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keyboard, and names the active row
            <div
              key={row.place}
              id={`${id}-${index}`}
              className="board-row"
              role="option"
              tabIndex={-1}
              aria-selected={row.isPicked}
              aria-setsize={found.length}
              aria-posinset={index + 1}
              data-active={index === active || undefined}
              onClick={() => onTake(row.place)}
            >
              <span className="cut">{row.words}</span>
              <span className="muted">{row.more}</span>
            </div>
          )}
        </VirtualRows>
      </div>
    </>
  );
}
