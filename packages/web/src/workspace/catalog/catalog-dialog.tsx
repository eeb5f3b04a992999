import "./catalog.css";
import type { CatalogPanel } from "@backplane/contract/panels";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { counted } from "../../parts/words.ts";
import { Dialog } from "../parts/dialog.tsx";
import { type Choice, type Command, isCommand, type PackageChoice } from "./commands.ts";
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
  /** From packages: those of this workspace, and those that could be. */
  packages: readonly PackageChoice[];
  /** What Enter does besides adding a panel. */
  commands: readonly Command[];
  /** The identifiers of open panels. */
  open: ReadonlySet<string>;
  /** Where Enter puts the panel, in words. */
  besideWords: string;
  /** Whether it can also go to a new split. */
  canSplit: boolean;
  onChoose: (panel: CatalogPanel | PackageChoice, inNewSplit: boolean) => void;
  onClose: () => void;
};

const LABEL = "Add a panel or run a command";

const isTaken = (choice: Choice, open: ReadonlySet<string>): boolean => choice.singleton && open.has(choice.identifier);

/** What was searched for and found, and which of it Enter would take. */
function useCatalogSearch(choices: readonly Choice[]) {
  const [query, setQuery] = useState("");
  const [category, setCategory] = useState<Category>("All");
  // Undefined until somebody picks one: then it is the likeliest.
  const [picked, setPicked] = useState<number>();
  const found = searchCatalog(choices, query);
  const groups = groupsOf(found, category);
  const items = groups.flatMap((group) => group.choices);
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

/** All panels and commands to choose from. The focus stays in the search field; the arrow keys move over the grid. */
export function CatalogDialog(props: Props) {
  const { panels, packages, commands, open, besideWords, canSplit, onChoose, onClose } = props;
  const id = useId();
  const { query, category, found, groups, items, place, chosen, ...catalog } = useCatalogSearch([
    ...panels,
    ...packages,
    ...commands,
  ]);
  // From then on the left and right arrows move in the grid, not in the field.
  const [isInGrid, setInGrid] = useState(false);
  const grid = useRef<HTMLDivElement>(null);
  const optionId = (choice: Choice) => `${id}-${choice.kind}`;
  const chosenId = chosen && optionId(chosen);

  useEffect(() => {
    if (chosenId !== undefined) document.getElementById(chosenId)?.scrollIntoView({ block: "nearest" });
  }, [chosenId]);

  const choose = (choice: Choice, inNewSplit: boolean) => {
    onClose();
    if (isCommand(choice)) choice.run();
    else onChoose(choice, inNewSplit);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter" && chosen) {
      event.preventDefault();
      return choose(chosen, event.shiftKey && canSplit);
    }
    const isSideways = event.key === "ArrowLeft" || event.key === "ArrowRight";
    if (isSideways && query !== "" && !isInGrid) return;
    const sizes = groups.map((group) => group.choices.length);
    const next = gridMove(event.key, place, cellsOf(sizes, columnsOf(grid.current)));
    if (next === undefined) return;
    event.preventDefault();
    setInGrid(true);
    catalog.setPicked(next);
  };

  return (
    <Dialog label={commands.length > 0 ? LABEL : "Add a panel"} className="catalog" onClose={onClose}>
      <SearchField
        listId={`${id}-list`}
        chosenId={chosenId}
        placeholder={`Search ${panels.length} panels${commands.length > 0 ? " and commands" : ""}`}
        query={query}
        onSearch={(next) => {
          catalog.search(next);
          setInGrid(false);
        }}
        onKeyDown={onKeyDown}
        onPointerDown={() => setInGrid(false)}
      />
      <p className="sr" role="status">
        {counted(items.length, "result")}
      </p>
      <div className="catalog-body">
        <Categories counts={countsOf(found)} category={category} onChoose={catalog.chooseCategory} />
        <div
          className="catalog-list"
          role="listbox"
          id={`${id}-list`}
          aria-label="Panels and commands"
          ref={grid}
          tabIndex={-1}
          // The search field keeps the focus, so that Enter adds what was clicked.
          onMouseDown={(event) => event.preventDefault()}
        >
          {groups.map((group) => (
            <ChoiceGroup key={group.title} group={group}>
              {(choice) => (
                <CatalogItem
                  key={choice.identifier}
                  id={optionId(choice)}
                  choice={choice}
                  isTaken={isTaken(choice, open)}
                  isChosen={choice.identifier === chosen?.identifier}
                  onPick={() => catalog.setPicked(items.indexOf(choice))}
                  onAdd={() => choose(choice, false)}
                />
              )}
            </ChoiceGroup>
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
          aria-label="Search panels and commands"
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

function ChoiceGroup({ group, children }: { group: Group; children: (choice: Choice) => ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of options
    <div role="group" aria-label={group.title}>
      <p className="catalog-category" aria-hidden="true">
        {group.title}
      </p>
      <div className="catalog-items" role="presentation">
        {group.choices.map(children)}
      </div>
    </div>
  );
}

function NothingFound({ query, category }: { query: string; category: Category }) {
  return (
    <div className="empty" role="presentation">
      <Icon name="search" />
      <p>
        Nothing matches "{query}"{category === "All" ? "" : ` in ${category}`}. Check the spelling
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
  chosen: Choice | undefined;
  isTaken: boolean;
  besideWords: string;
  canSplit: boolean;
  onAdd: (choice: Choice, inNewSplit: boolean) => void;
};

function CatalogFoot({ chosen, isTaken, besideWords, canSplit, onAdd }: FootProps) {
  const runs = chosen !== undefined && isCommand(chosen);
  return (
    <div className="catalog-foot">
      <span className="catalog-keys">
        <kbd>↑</kbd>
        <kbd>↓</kbd> choose
      </span>
      <span className="catalog-keys cut">
        <kbd>Enter</kbd> {runs ? "runs it" : isTaken ? "shows it" : besideWords}
      </span>
      {canSplit && !isTaken && chosen && !runs && (
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
          {runs ? chosen.name : `${isTaken ? "Show" : "Add"} ${chosen.name}`}
        </Button>
      )}
    </div>
  );
}

type ItemProps = {
  id: string;
  choice: Choice;
  isTaken: boolean;
  isChosen: boolean;
  onPick: () => void;
  onAdd: () => void;
};

function CatalogItem({ id, choice, isTaken, isChosen, onPick, onAdd }: ItemProps) {
  const { name, icon, description, singleton } = choice;
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
        </p>
        <p className="catalog-line">{isTaken ? "Already open. Enter shows it." : description}</p>
      </div>
    </div>
  );
}
