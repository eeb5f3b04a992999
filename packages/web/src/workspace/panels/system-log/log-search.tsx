import { PANELS_LIMITS } from "@backplane/contract/panels";
import { useEffect, useRef, useState } from "react";
import { Icon } from "../../../parts/icon.tsx";
import { TYPING_PAUSE_MS } from "./limits.ts";

type Props = { search: string; onSearch: (search: string) => void };

/** While somebody types, what they typed counts, not what came back of it. */
export function LogSearch({ search, onSearch }: Props) {
  const [draft, setDraft] = useState<string>();
  const tell = useRef(onSearch);
  tell.current = onSearch;

  useEffect(() => {
    if (draft === undefined || draft === search) return;
    const timer = setTimeout(() => tell.current(draft), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft, search]);

  const leave = () => {
    if (draft !== undefined && draft !== search) onSearch(draft);
    setDraft(undefined);
  };

  return (
    <div className="input log-search">
      <Icon name="search" />
      <input
        type="search"
        value={draft ?? search}
        aria-label="Search the log"
        placeholder="Search"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={PANELS_LIMITS.maxLogSearchLength}
        enterKeyHint="search"
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") onSearch(draft ?? search);
          if (event.key === "Escape") setDraft("");
        }}
        onBlur={leave}
      />
    </div>
  );
}
