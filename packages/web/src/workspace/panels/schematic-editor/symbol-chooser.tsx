import { PANELS_LIMITS } from "@backplane/contract/panels";
import { fieldText, type LibrarySymbol, readSymbolLibrary } from "@backplane/kicad/schematic";
import { FileFault } from "@backplane/kicad/sexpr";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { SymbolPicture } from "../../../packages/library/symbol-picture.tsx";
import { Button } from "../../../parts/button.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { Select } from "../../../parts/select.tsx";
import type { WorkspaceName } from "../../calls.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { isDrawn, VirtualRows } from "../../parts/virtual-rows.tsx";
import { listFiles, readFile } from "../project-files/file-calls.ts";
import { nameOf } from "../project-files/paths.ts";
import type { Session } from "./session.ts";
import { usePackagedSymbols } from "./use-packaged-symbols.ts";

type Choice = { libId: string; symbol: LibrarySymbol; from: string; words: string };
type Props = {
  session: Session;
  project: WorkspaceName;
  onChoose: (libId: string, symbol: LibrarySymbol) => void;
  onClose: () => void;
};

const ROW_PX = 40;

/** Symbols that the design has already, and those of the project's libraries. */
export function SymbolChooser({ session, project, onChoose, onClose }: Props) {
  const libraries = useLibraries(project);
  const packaged = usePackagedSymbols();
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const scroller = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const own = useMemo(() => [...ownSymbols(session), ...libraries.choices], [session, libraries.choices]);
  const all = useMemo(
    () => packaged.symbols?.map((each) => ({ ...each, words: wordsOf(each.libId, each.symbol) })) ?? own,
    [packaged.symbols, own],
  );
  const wanted = typed.toLowerCase().split(/\s+/);
  const rows = all.filter(({ words }) => wanted.every((word) => words.includes(word)));
  const place = Math.min(chosen, rows.length - 1);
  const active = rows[place];
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
  });
  useEffect(() => input.current?.focus(), []);

  const take = (choice: Choice | undefined) => choice && onChoose(choice.libId, choice.symbol);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (step !== undefined) {
      const next = Math.max(0, Math.min(rows.length - 1, chosen + step));
      setChosen(next);
      list.scrollToIndex(next, { align: "auto" });
    } else if (event.key === "Enter") take(active);
    else return;
    event.preventDefault();
  };

  return (
    <Dialog label="Place a symbol" className="schematic-chooser" onClose={onClose}>
      <div className="schematic-chooser-in">
        <div className="input">
          <Icon name="search" />
          <input
            ref={input}
            role="combobox"
            aria-label="Find a symbol"
            aria-expanded={rows.length > 0}
            aria-controls="schematic-symbols"
            aria-activedescendant={isDrawn(list, place) ? `schematic-symbol-${place}` : undefined}
            placeholder="Find a symbol"
            autoComplete="off"
            spellCheck={false}
            maxLength={100}
            value={typed}
            onChange={({ target }) => {
              setTyped(target.value);
              setChosen(0);
            }}
            onKeyDown={onKeyDown}
          />
        </div>
        {packaged.packages.length > 0 && (
          <Select
            aria-label="Library"
            value={packaged.chosen}
            onChange={({ target }) => {
              setChosen(0);
              packaged.choose(target.value);
            }}
          >
            <option value="">This design and the project</option>
            {packaged.packages.map(({ identifier, name }) => (
              <option key={identifier} value={identifier}>
                Package {name}
              </option>
            ))}
          </Select>
        )}
        <div className="schematic-chooser-body">
          <div ref={scroller} id="schematic-symbols" className="schematic-rows" role="listbox" aria-label="Symbols">
            <VirtualRows list={list} rows={rows}>
              {(row, index) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keyboard, and names the active row
                <div
                  key={`${row.from} ${row.libId}`}
                  id={`schematic-symbol-${index}`}
                  className="schematic-row two"
                  role="option"
                  tabIndex={-1}
                  aria-selected={row === active}
                  onClick={() => setChosen(index)}
                  onDoubleClick={() => take(row)}
                >
                  <span className="cut">{row.libId}</span>
                  <small className="cut muted">{row.from}</small>
                </div>
              )}
            </VirtualRows>
          </div>
          {active && <Preview choice={active} />}
        </div>
        <p className="muted" role="status">
          {(packaged.chosen === "" ? libraries.words : packaged.words) ??
            (rows.length === 0
              ? "No symbol has these words. Choose another library, or add a .kicad_sym file to the project."
              : `${rows.length} symbols`)}
        </p>
        <Actions canPlace={active !== undefined} onPlace={() => take(active)} onCancel={onClose} />
      </div>
    </Dialog>
  );
}

type ActionsProps = { canPlace: boolean; onPlace: () => void; onCancel: () => void };

function Actions({ canPlace, onPlace, onCancel }: ActionsProps) {
  return (
    <div className="row">
      <Button look="primary" disabled={!canPlace} onClick={onPlace}>
        Place
      </Button>
      <Button look="quiet" onClick={onCancel}>
        Cancel
      </Button>
    </div>
  );
}

function Preview({ choice }: { choice: Choice }) {
  const said =
    fieldText(choice.symbol.fields, "Description") ?? fieldText(choice.symbol.fields, "ki_description") ?? "";
  return (
    <div className="schematic-preview">
      <SymbolPicture libId={choice.libId} symbol={choice.symbol} />
      <p>{said}</p>
    </div>
  );
}

const wordsOf = (libId: string, symbol: LibrarySymbol): string =>
  [libId, ...symbol.fields.filter(({ name }) => /^(Value|Description|ki_)/.test(name)).map(({ text }) => text)]
    .join("\n")
    .toLowerCase();

/** What is on a sheet already can be placed again without its library. */
function ownSymbols(session: Session): Choice[] {
  const found = new Map<string, Choice>();
  for (const { schematic } of session.state().design?.sheets ?? [])
    for (const [libId, symbol] of schematic.definitions)
      if (!found.has(libId)) found.set(libId, { libId, symbol, from: "In this design", words: wordsOf(libId, symbol) });
  return [...found.values()].sort((a, b) => (a.libId < b.libId ? -1 : 1));
}

/** The symbols of the `.kicad_sym` files of the project. */
function useLibraries({ owner, repo }: WorkspaceName) {
  const [choices, setChoices] = useState<Choice[]>([]);
  const [words, setWords] = useState<string | undefined>("Reading the libraries of the project");
  useEffect(() => {
    const leaving = new AbortController();
    void (async () => {
      const listed = await listFiles({ owner, repo }, leaving.signal);
      const paths = listed.ok
        ? listed.value.files.map(({ path }) => path).filter((path) => /\.kicad_sym$/i.test(path))
        : [];
      const unread: string[] = [];
      for (const path of paths) {
        const read = await readFile({ owner, repo }, path, {
          maxBytes: 8 * PANELS_LIMITS.maxTextFileBytes,
          signal: leaving.signal,
        });
        if (leaving.signal.aborted) return;
        const symbols = read.kind === "read" ? readLibrary(path, new TextDecoder().decode(read.bytes)) : undefined;
        if (symbols) setChoices((before) => [...before, ...symbols]);
        else unread.push(path);
      }
      setWords(unread.length === 0 ? undefined : `Not read: ${unread.join(", ")}`);
    })();
    return () => leaving.abort();
  }, [owner, repo]);
  return { choices, words };
}

/** Undefined when the file is not a library. */
function readLibrary(path: string, text: string): Choice[] | undefined {
  const library = nameOf(path).replace(/\.kicad_sym$/i, "");
  try {
    return [...readSymbolLibrary(text)].map(([name, symbol]) => {
      const libId = `${library}:${name}`;
      return { libId, symbol, from: path, words: wordsOf(libId, symbol) };
    });
  } catch (error) {
    if (error instanceof FileFault) return undefined;
    throw error;
  }
}
