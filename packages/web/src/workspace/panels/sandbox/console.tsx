import { memo, type RefObject, useEffect, useRef } from "react";
import { CodeInput } from "./code-input.tsx";
import type { ConsoleLine } from "./console-lines.ts";

type Props = {
  lines: readonly ConsoleLine[];
  inputRef: RefObject<HTMLTextAreaElement | null>;
  onRun(code: string): void;
  onClear(): void;
};

const MARKS = { input: "›", result: "‹", error: "×", log: "·" } as const;
/** For those who do not see the marks. */
const WORDS = { input: "Code", result: "Result", error: "Error", log: "Output" } as const;
/** Nearer to the end than this, somebody follows it. */
const FOLLOWS_WITHIN_PX = 24;

export function Console({ lines, inputRef, onRun, onClear }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const follows = useRef(true);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a line was added
  useEffect(() => {
    if (follows.current && list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [lines]);

  return (
    <section className="sandbox-console" aria-label="Console">
      {lines.length > 0 && (
        <div
          ref={list}
          className="sandbox-lines"
          role="log"
          aria-label="Output"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
          tabIndex={0}
          onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
            follows.current = scrollHeight - scrollTop - clientHeight < FOLLOWS_WITHIN_PX;
          }}
        >
          {lines.map((line) => (
            <Line key={line.key} line={line} />
          ))}
        </div>
      )}
      <div className="sandbox-entry">
        <span className="sandbox-mark" aria-hidden="true">
          ›
        </span>
        <CodeInput ref={inputRef} onRun={onRun} onClear={onClear} />
        {lines.length > 0 && (
          <button className="btn small quiet" type="button" onClick={onClear} title="Clear the console (Ctrl L)">
            Clear
          </button>
        )}
      </div>
    </section>
  );
}

const Line = memo(function Line({ line: { kind, level, text, at } }: { line: ConsoleLine }) {
  const tone = kind === "error" || level === "error" ? "bad" : level === "warn" ? "warn" : kind === "log" ? "said" : "";
  return (
    <div className={`sandbox-line ${tone}`}>
      <span className="sandbox-mark">
        <span aria-hidden="true">{MARKS[kind]}</span>
        <span className="sr">{WORDS[kind]}</span>
      </span>
      <span className="sandbox-text">{text}</span>
      <span className="sandbox-at">{at}</span>
    </div>
  );
});
