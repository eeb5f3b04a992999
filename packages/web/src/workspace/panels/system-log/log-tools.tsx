import type { JsonObject, LogLevel } from "@backplane/contract/panels";
import { Button } from "../../../parts/button.tsx";
import { State } from "../../../parts/state.tsx";
import type { Choice } from "./lines.ts";
import { LogSearch } from "./log-search.tsx";

const LEVEL_WORDS: Record<LogLevel, string> = {
  debug: "All levels",
  info: "Info and above",
  warn: "Warnings and errors",
  error: "Errors only",
};

type Props = {
  choice: Choice;
  sources: readonly string[];
  isPaused: boolean;
  /** Lines that came while it was paused. */
  fresh: number;
  onChoose: (patch: JsonObject) => void;
  onFollow: () => void;
};

export function LogTools({ choice, sources, isPaused, fresh, onChoose, onFollow }: Props) {
  return (
    <div className="panel-tools log-tools">
      <LogSearch search={choice.search} onSearch={(search) => onChoose({ search: search === "" ? null : search })} />
      <select
        className="select"
        aria-label="Source"
        value={choice.source ?? ""}
        onChange={({ target: { value } }) => onChoose({ source: value === "" ? null : value })}
      >
        <option value="">All sources</option>
        {sources.map((source) => (
          <option key={source}>{source}</option>
        ))}
      </select>
      <select
        className="select"
        aria-label="Level"
        value={choice.level}
        onChange={({ target: { value } }) => onChoose({ level: value })}
      >
        {Object.entries(LEVEL_WORDS).map(([level, words]) => (
          <option key={level} value={level}>
            {words}
          </option>
        ))}
      </select>
      <span className="grow" />
      {isPaused && (
        <Button size="small" onClick={onFollow}>
          {fresh === 0 ? "Follow" : `${fresh} new ${fresh === 1 ? "line" : "lines"}`}
        </Button>
      )}
      <State tone={isPaused ? "off" : "ok"} word={isPaused ? "Paused" : "Following"} />
    </div>
  );
}
