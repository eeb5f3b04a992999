import "./catalog.css";
import type { CatalogPanel } from "@backplane/contract/panels";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { PanelIcon } from "./panel-icons.tsx";
import {
  type Category,
  cellsOf,
  countsOf,
  type Group,
  gridMove,
  groupsOf,
  likeliest,
  searchCatalog,
} from "./search-catalog.ts";

type Props = {
  panels: readonly CatalogPanel[];
  /** The identifiers of open panels. */
  open: ReadonlySet<string>;
  /** Where Enter puts the panel, in words. */
  besideWords: string;
  /** Whether it can also go to a new split. */
  canSplit: boolean;
  onChoose: (panel: CatalogPanel, inNewSplit: boolean) => void;
  onClose: () => void;
};

const isTaken = (panel: CatalogPanel, open: ReadonlySet<string>): boolean =>
  panel.singleton && open.has(panel.identifier);

/** What was searched for and found, and which panel Enter would add. */
function useCatalogSearch(panels: readonly CatalogPanel[]) {
  const [query, setQuery] = useState("");
  const [category, setCategory] = useState<Category>("All");
  // Undefined until somebody picks one: then it is the likeliest.
  const [picked, setPicked] = useState<number>();
  const found = searchCatalog(panels, query);
  const groups = groupsOf(found, category);
  const items = groups.flatMap((group) => group.panels);
  const place = Math.min(picked ?? likeliest(items, query), items.length - 1);
  return {
    ...{ query, category, found, groups, items, place, setPicked },
    chosen: items[place],
    search(next: string) {
      setQuery(next);
      setPicked(undefined);
    },
    chooseCategory(next: Category) {
      setCategory(next);
      setPicked(undefined);
    },
  };
}

/** All panels to choose from. The focus stays in the search field; the arrow keys move over the grid. */
export function CatalogDialog({ panels, open, besideWords, canSplit, onChoose, onClose }: Props) {
  const id = useId();
  const { query, category, found, groups, items, place, chosen, ...catalog } = useCatalogSearch(panels);
  // From then on the left and right arrows move in the grid, not in the field.
  const [isInGrid, setInGrid] = useState(false);
  const grid = useRef<HTMLDivElement>(null);
  const optionId = (panel: CatalogPanel) => `${id}-${panel.kind}`;
  const chosenId = chosen && optionId(chosen);

  useEffect(() => {
    if (chosenId !== undefined) document.getElementById(chosenId)?.scrollIntoView({ block: "nearest" });
  }, [chosenId]);

  const choose = (panel: CatalogPanel, inNewSplit: boolean) => {
    onClose();
    onChoose(panel, inNewSplit);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter" && chosen) {
      event.preventDefault();
      return choose(chosen, event.shiftKey && canSplit);
    }
    const isSideways = event.key === "ArrowLeft" || event.key === "ArrowRight";
    if (isSideways && query !== "" && !isInGrid) return;
    const sizes = groups.map((group) => group.panels.length);
    const next = gridMove(event.key, place, cellsOf(sizes, columnsOf(grid.current)));
    if (next === undefined) return;
    event.preventDefault();
    setInGrid(true);
    catalog.setPicked(next);
  };

  return (
    <Dialog label="Add a panel" className="catalog" onClose={onClose}>
      <SearchField
        listId={`${id}-list`}
        chosenId={chosenId}
        placeholder={`Search ${panels.length} panels`}
        query={query}
        onSearch={(next) => {
          catalog.search(next);
          setInGrid(false);
        }}
        onKeyDown={onKeyDown}
        onPointerDown={() => setInGrid(false)}
      />
      <p className="sr" role="status">
        {items.length === 1 ? "1 panel" : `${items.length} panels`}
      </p>
      <div className="catalog-body">
        <Categories counts={countsOf(found)} category={category} onChoose={catalog.chooseCategory} />
        <div
          className="catalog-list"
          role="listbox"
          id={`${id}-list`}
          aria-label="Panels"
          ref={grid}
          tabIndex={-1}
          // The search field keeps the focus, so that Enter adds what was clicked.
          onMouseDown={(event) => event.preventDefault()}
        >
          {groups.map((group) => (
            <PanelGroup key={group.category} group={group}>
              {(panel) => (
                <CatalogItem
                  key={panel.identifier}
                  id={optionId(panel)}
                  panel={panel}
                  isTaken={isTaken(panel, open)}
                  isChosen={panel === chosen}
                  onPick={() => catalog.setPicked(items.indexOf(panel))}
                  onAdd={() => choose(panel, false)}
                />
              )}
            </PanelGroup>
          ))}
          {items.length === 0 && <NothingFound query={query} category={category} />}
        </div>
      </div>
      <CatalogFoot
        chosen={chosen}
        isTaken={chosen !== undefined && isTaken(chosen, open)}
        besideWords={besideWords}
        canSplit={canSplit}
        onAdd={choose}
      />
    </Dialog>
  );
}

type SearchProps = {
  listId: string;
  chosenId: string | undefined;
  placeholder: string;
  query: string;
  onSearch: (query: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
  onPointerDown: () => void;
};

function SearchField({ listId, chosenId, placeholder, query, onSearch, onKeyDown, onPointerDown }: SearchProps) {
  return (
    <div className="catalog-find">
      <div className="input large">
        <Icon name="search" />
        <input
          // biome-ignore lint/a11y/noAutofocus: the dialog was just opened to search
          autoFocus
          role="combobox"
          aria-label="Search panels"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={chosenId}
          aria-autocomplete="list"
          placeholder={placeholder}
          value={query}
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
          onChange={(event) => onSearch(event.target.value)}
          onKeyDown={onKeyDown}
          onPointerDown={onPointerDown}
        />
        <kbd>Esc</kbd>
      </div>
    </div>
  );
}

type CategoriesProps = {
  counts: readonly [Category, number][];
  category: Category;
  onChoose: (category: Category) => void;
};

function Categories({ counts, category, onChoose }: CategoriesProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form data
    <div className="catalog-groups" role="group" aria-label="Categories">
      {counts.map(([name, count]) => (
        <button key={name} type="button" aria-pressed={name === category} onClick={() => onChoose(name)}>
          {name}
          <span>{count}</span>
        </button>
      ))}
    </div>
  );
}

function PanelGroup({ group, children }: { group: Group; children: (panel: CatalogPanel) => ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of options
    <div role="group" aria-label={group.category}>
      <p className="catalog-category" aria-hidden="true">
        {group.category}
      </p>
      <div className="catalog-items" role="presentation">
        {group.panels.map(children)}
      </div>
    </div>
  );
}

function NothingFound({ query, category }: { query: string; category: Category }) {
  return (
    <div className="empty" role="presentation">
      <Icon name="search" />
      <p>
        No panel matches "{query}"{category === "All" ? "" : ` in ${category}`}. Check the spelling
        {category === "All" ? "" : ", or search all categories"}.
      </p>
    </div>
  );
}

/** The number of columns at the current width. */
function columnsOf(list: HTMLElement | null): number {
  const items = list?.querySelector(".catalog-items");
  return items ? getComputedStyle(items).gridTemplateColumns.split(" ").length : 1;
}

type FootProps = {
  chosen: CatalogPanel | undefined;
  isTaken: boolean;
  besideWords: string;
  canSplit: boolean;
  onAdd: (panel: CatalogPanel, inNewSplit: boolean) => void;
};

function CatalogFoot({ chosen, isTaken, besideWords, canSplit, onAdd }: FootProps) {
  return (
    <div className="catalog-foot">
      <span className="catalog-keys">
        <kbd>↑</kbd>
        <kbd>↓</kbd> choose
      </span>
      <span className="catalog-keys cut">
        <kbd>Enter</kbd> {isTaken ? "shows it" : besideWords}
      </span>
      {canSplit && !isTaken && chosen && (
        <button className="catalog-split" type="button" onClick={() => onAdd(chosen, true)}>
          <span className="catalog-keys">
            <kbd>Shift</kbd>
            <kbd>Enter</kbd>
          </span>{" "}
          in a new split
        </button>
      )}
      <span className="grow" />
      {chosen && (
        <Button look="primary" onClick={() => onAdd(chosen, false)}>
          {isTaken ? "Show" : "Add"} {chosen.name}
        </Button>
      )}
    </div>
  );
}

type ItemProps = {
  id: string;
  panel: CatalogPanel;
  isTaken: boolean;
  isChosen: boolean;
  onPick: () => void;
  onAdd: () => void;
};

function CatalogItem({ id, panel, isTaken, isChosen, onPick, onAdd }: ItemProps) {
  const { name, icon, description, singleton, built } = panel;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the search field handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the search field has the focus and names the option
    <div
      id={id}
      className="catalog-item"
      role="option"
      aria-selected={isChosen}
      data-taken={isTaken || undefined}
      onClick={onPick}
      onDoubleClick={onAdd}
    >
      <span className="catalog-icon">
        <PanelIcon name={icon} />
      </span>
      <div>
        <p className="catalog-name">
          <b>{name}</b>
          {singleton && <span className="badge">One per workspace</span>}
          {!built && <span className="state off small">Not built yet</span>}
        </p>
        <p className="catalog-line">{isTaken ? "Already open. Enter shows it." : description}</p>
      </div>
    </div>
  );
}
