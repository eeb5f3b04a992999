import { REGISTRY_LIMITS } from "@backplane/contract/registry";
import { type KeyboardEvent, type Ref, useEffect, useRef, useState } from "react";
import { Icon } from "../../parts/icon.tsx";
import { useSearchKey } from "../../parts/search-key.ts";
import { cleanQuery } from "./list-query.ts";

type Props = {
  q: string;
  onSearch: (q: string) => void;
  /** Arrow down: to the first result. */
  onDown: () => void;
  ref: Ref<HTMLInputElement>;
};

/** Long enough for a word that is being typed, short enough to feel live. */
const TYPING_PAUSE_MS = 150;

/** Searches while you type; "/" puts the focus here from anywhere on the page. */
export function SearchField({ q, onSearch, onDown, ref }: Props) {
  const [typed, setTyped] = useState(q);
  const field = useRef<HTMLInputElement>(null);
  const search = useRef(onSearch);
  search.current = onSearch;

  // "Back", "Clear search" and links change the search from outside.
  useEffect(() => {
    setTyped((now) => (cleanQuery(now) === q ? now : q));
  }, [q]);

  useEffect(() => {
    if (cleanQuery(typed) === q) return;
    const timer = setTimeout(() => search.current(cleanQuery(typed)), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, q]);

  useSearchKey(field);

  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter") onSearch(cleanQuery(typed));
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    onDown();
  };

  return (
    <div className="input pkg-search">
      <Icon name="search" />
      <input
        ref={(element) => {
          field.current = element;
          if (typeof ref === "function") ref(element);
          else if (ref) ref.current = element;
        }}
        type="search"
        value={typed}
        placeholder="Search name, tag or description"
        aria-label="Search packages"
        aria-keyshortcuts="/"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={REGISTRY_LIMITS.maxQueryCharacters}
        enterKeyHint="search"
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={press}
      />
      {typed === "" && <kbd>/</kbd>}
    </div>
  );
}
