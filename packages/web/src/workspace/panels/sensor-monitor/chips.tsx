import { useRef, useState } from "react";
import { Icon } from "../../../parts/icon.tsx";
import type { Fitting } from "../../device-panel/fitting.ts";
import { Menu, type MenuItem } from "../../parts/menu.tsx";
import { Swatch, valueWords } from "../../parts/plot/time-plot.tsx";
import { numbersOf } from "../../plot-panel/fields.ts";
import type { PanelSeries, Plotted } from "../../plot-panel/plot-panel.tsx";
import { type Entry, otherNumbers, readEntry } from "./shown-fields.ts";

const MAX_ENTRIES = 16;

type Props = {
  entries: readonly Entry[];
  series: readonly PanelSeries[];
  shown: Fitting;
  cursorMs: number | undefined;
  isLost: boolean;
  onEntries: (entries: string[]) => void;
  onToggle: (key: string, isAlone: boolean) => void;
};

/** What is shown: fields and formulas, each with its value at the cursor or now. */
export function Chips({ entries, series, shown, cursorMs, isLost, onEntries, onToggle }: Props) {
  const names = entries.map(({ entry }) => entry);
  const remove = (entry: string) => onEntries(names.filter((each) => each !== entry));
  return (
    <div className="monitor-chips">
      <ul className="chips-list" aria-label={cursorMs === undefined ? "Values now" : "Values at the cursor"}>
        {entries.map((each) => {
          const own = series.find(({ key }) => key === each.entry);
          return (
            <li key={each.entry} className="chip" data-series={each.entry} data-lost={isLost}>
              {"fault" in each ? (
                <span className="chip-fault" title={each.fault}>
                  <Icon name="warning" />
                  {each.entry}
                  <span className="sr">{each.fault}</span>
                </span>
              ) : (
                own && (
                  <button
                    className="chip-name"
                    type="button"
                    aria-pressed={own.isShown}
                    title={`${own.isShown ? "Hide" : "Show"} ${each.entry}`}
                    onClick={(event) => onToggle(own.key, event.altKey)}
                  >
                    <Swatch slot={own.slot} />
                    <span>{each.entry}</span>
                    <b>{valueWords(own, cursorMs ?? Number.POSITIVE_INFINITY)}</b>
                  </button>
                )
              )}
              <button
                className="chip-remove"
                type="button"
                aria-label={`Remove ${each.entry}`}
                onClick={() => remove(each.entry)}
              >
                <Icon name="close" />
              </button>
            </li>
          );
        })}
      </ul>
      {entries.length < MAX_ENTRIES && <Add {...{ shown, names }} onAdd={(entry) => onEntries([...names, entry])} />}
    </div>
  );
}

type AddProps = { shown: Fitting; names: readonly string[]; onAdd: (entry: string) => void };

function Add({ shown, names, onAdd }: AddProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [isWriting, setWriting] = useState(false);
  const itemsOf = (numbers: readonly Plotted[], startsGroup: boolean): MenuItem[] =>
    numbers
      .filter(({ key }) => !names.includes(key))
      .map(({ key, unit }, place) => ({
        ...{ label: key, hint: unit, onSelect: () => onAdd(key) },
        startsGroup: startsGroup && place === 0,
      }));
  const items: MenuItem[] = [
    ...itemsOf(numbersOf(shown.capability), false),
    ...itemsOf(otherNumbers(shown), true),
    { label: "Formula…", startsGroup: true, onSelect: () => setWriting(true) },
  ];
  if (isWriting) return <FormulaInput {...{ shown, onAdd }} onClose={() => setWriting(false)} />;
  return (
    <>
      <button
        ref={button}
        className="chip-add"
        type="button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="plus" />
        <span className="wide-only">Add a field</span>
        <span className="sr">Add a field</span>
      </button>
      {isOpen && button.current && (
        <Menu label="Fields" anchor={button.current} items={items} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

type FormulaProps = { shown: Fitting; onAdd: (entry: string) => void; onClose: () => void };

function FormulaInput({ shown, onAdd, onClose }: FormulaProps) {
  const [text, setText] = useState("= ");
  const [fault, setFault] = useState<string>();
  const submit = () => {
    const entry = text.trim().startsWith("=") ? text.trim() : `= ${text.trim()}`;
    const read = readEntry(entry, shown);
    if ("fault" in read) return setFault(read.fault);
    onAdd(entry);
    onClose();
  };
  return (
    // Not a form: the frame of a package sends none.
    <div className="chip-formula">
      <input
        // biome-ignore lint/a11y/noAutofocus: it was asked for just now
        autoFocus
        className="plot-input"
        aria-label="Formula"
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? undefined : "formula-fault"}
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setFault(undefined);
        }}
        onKeyDown={({ key }) => {
          if (key === "Enter") submit();
          if (key === "Escape") onClose();
        }}
      />
      {fault !== undefined && (
        <span className="chip-fault" id="formula-fault" role="alert">
          {fault}
        </span>
      )}
    </div>
  );
}
