import { useEffect, useRef } from "react";
import { clockWithSeconds } from "../../../parts/times.ts";
import type { OutputLine, RunState } from "./run-state.ts";

/** How near its end a list counts as followed. */
const NEAR_PX = 40;

const MARKS: Record<OutputLine["level"], [mark: string, word: string]> = {
  log: ["", ""],
  info: ["", ""],
  debug: ["", ""],
  warn: ["△", "Warning: "],
  error: ["×", "Error: "],
  fault: ["×", "Failed: "],
  result: ["‹", "Result: "],
};

/** What the script said. Stays at its end while somebody looks there. */
export function Output({ state: { phase, lines, dropped } }: { state: RunState }) {
  const list = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  const lastTop = useRef(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: with every line
  useEffect(() => {
    if (isFollowing.current && list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [lines]);

  const onScroll = () => {
    if (!list.current) return;
    const { scrollTop, scrollHeight, clientHeight } = list.current;
    // New lines push the end away without anybody having scrolled: only who goes up has left it.
    if (scrollTop < lastTop.current) isFollowing.current = false;
    if (scrollHeight - scrollTop - clientHeight < NEAR_PX) isFollowing.current = true;
    lastTop.current = scrollTop;
  };

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys
    <div ref={list} className="script-output" role="log" aria-label="Output" tabIndex={0} onScroll={onScroll}>
      {dropped > 0 && <p className="script-hint">{dropped} earlier lines are not kept.</p>}
      {lines.length === 0 && <p className="script-hint">{HINTS[phase]}</p>}
      {lines.map(({ key, level, text, at }) => (
        <div key={key} className={`script-line ${level}`}>
          <span aria-hidden="true">{MARKS[level][0]}</span>
          <span className="script-text">
            <span className="script-word">{MARKS[level][1]}</span>
            {text}
          </span>
          <span className="script-time">{clockWithSeconds(at)}</span>
        </div>
      ))}
    </div>
  );
}

const HINTS: Record<RunState["phase"], string> = {
  idle: "Run shows what the script prints here. It runs in this browser and reaches neither the network nor this page.",
  running: "",
  done: "The script printed nothing.",
  failed: "",
  stopped: "The script printed nothing.",
};
