import { type JsonObject, type LogLevel, PANELS_LIMITS } from "@backplane/contract/panels";
import { useEffect, useRef, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { Select } from "../../../parts/select.tsx";
import { State } from "../../../parts/state.tsx";
import type { LogFilter } from "./log-lines.ts";

const TYPING_PAUSE_MS = 300;

const LEVEL_LABELS: Record<LogLevel, string> = {
  debug: "All levels",
  info: "Info and above",
  warn: "Warnings and errors",
  error: "Errors only",
};

type Props = {
  filter: LogFilter;
  sources: readonly string[];
  isPaused: boolean;
  /** Lines that arrived while paused. */
  newLines: number;
  onFilter: (patch: JsonObject) => void;
  onFollow: () => void;
};

export function LogTools({ filter, sources, isPaused, newLines, onFilter, onFollow }: Props) {
  return (
    <div className="panel-tools log-tools">
      <LogSearch search={filter.search} onSearch={(search) => onFilter({ search: search === "" ? null : search })} />
      <Select
        aria-label="Source"
        value={filter.source ?? ""}
        onChange={({ target: { value } }) => onFilter({ source: value === "" ? null : value })}
      >
        <option value="">All sources</option>
        {sources.map((source) => (
          <option key={source}>{source}</option>
        ))}
      </Select>
      <Select aria-label="Level" value={filter.level} onChange={({ target: { value } }) => onFilter({ level: value })}>
        {Object.entries(LEVEL_LABELS).map(([level, label]) => (
          <option key={level} value={level}>
            {label}
          </option>
        ))}
      </Select>
      <span className="grow" />
      {isPaused && (
        <Button size="small" onClick={onFollow}>
          {newLines === 0 ? "Follow" : `${newLines} new ${newLines === 1 ? "line" : "lines"}`}
        </Button>
      )}
      <State tone={isPaused ? "off" : "ok"} word={isPaused ? "Paused" : "Following"} />
    </div>
  );
}

/** Keeps what is being typed, even when another search arrives from the server meanwhile. */
export function LogSearch({ search, onSearch }: { search: string; onSearch: (search: string) => void }) {
  const [draft, setDraft] = useState<string>();
  const latest = useRef(onSearch);
  latest.current = onSearch;

  useEffect(() => {
    if (draft === undefined || draft === search) return;
    const timer = setTimeout(() => latest.current(draft), TYPING_PAUSE_MS);
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
