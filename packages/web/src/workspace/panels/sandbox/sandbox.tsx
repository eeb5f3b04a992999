import "./sandbox.css";
import type { SandboxCondition } from "@backplane/contract/panels";
import { createRef, type KeyboardEvent, memo, type RefObject, useRef, useState, useSyncExternalStore } from "react";
import { Button } from "../../../parts/button.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { Note } from "../../../parts/note.tsx";
import type { MountPanel, PanelContext } from "../../panel.ts";
import { createFrameHolder, FrameSlot } from "../driven-panel.tsx";
import { useFollowEnd } from "../output-lines.ts";
import { reactPanel } from "../react-panel.tsx";
import { type ConsoleLine, LINES_MEANWHILE, NO_HISTORY, recall, remember } from "./console-lines.ts";
import { EmptySandbox } from "./empty-sandbox.tsx";
import { createSandboxSession, type SandboxSession } from "./sandbox-session.ts";

export const mount: MountPanel = (element, context) => {
  const holder = createFrameHolder();
  const input = createRef<HTMLTextAreaElement>();
  const session = createSandboxSession(context, holder);
  const place = { tabId: context.tabId, workspace: context.workspace };
  return reactPanel(element, <Sandbox session={session} holder={holder} inputRef={input} place={place} />, {
    focus: () => input.current?.focus(),
    async rasterise() {
      // Where the frame draws nothing, the panel shows through it.
      const background = getComputedStyle(element.querySelector(".panel-root") ?? element).backgroundColor;
      return new Blob([await session.rasterise(background)], { type: "image/png" });
    },
    dispose: session.dispose,
  });
};

type Props = {
  session: SandboxSession;
  holder: HTMLElement;
  inputRef: RefObject<HTMLTextAreaElement | null>;
  place: Pick<PanelContext, "tabId" | "workspace">;
};

const FAULTS: Partial<Record<SandboxCondition, string>> = {
  stuck: "The code does not finish. Reset the sandbox to continue.",
  gone: "The code has left its page, or was stopped. Reset the sandbox to continue.",
};

function Sandbox({ session, holder, inputRef, place }: Props) {
  const view = useSyncExternalStore(session.subscribe, session.view);
  const { condition, lines, hasPaused, isHeaderHidden, drivenBy, isResetting, content, left, isPrimary } = view;
  const fault = FAULTS[condition];

  return (
    <div className="panel-root">
      {!isHeaderHidden && (
        <div className="panel-tools">
          <span className="sandbox-driver">
            {drivenBy === undefined ? (
              <span className="muted">No program drives this panel</span>
            ) : (
              <>
                <span className="driven-name" title={drivenBy}>
                  {drivenBy}
                </span>
                <span className="muted">drives this panel</span>
              </>
            )}
          </span>
          <span className="grow" />
          <ResetButton isResetting={isResetting} onReset={session.reset} />
        </div>
      )}
      <div className="panel-view" aria-busy={condition === "loading"}>
        <FrameSlot holder={holder} isTabStop={isHeaderHidden} />
        {content === "empty" && (
          <EmptySandbox {...place} isPrimary={isPrimary} onRun={(code) => void session.submit(code)} />
        )}
        {fault === undefined && left !== undefined && (
          <div className="sandbox-fault">
            <Note tone="warn" role="status">
              <p>{left}</p>
              <Button size="small" busy={isResetting} onClick={() => void session.reset()}>
                Start empty
              </Button>{" "}
              <Button size="small" look="quiet" onClick={session.hideLeft}>
                Hide
              </Button>
            </Note>
          </div>
        )}
        {fault !== undefined && (
          <div className="sandbox-fault">
            <Note tone="danger" role="alert">
              <p>{fault}</p>
              {isHeaderHidden && <ResetButton isResetting={isResetting} onReset={session.reset} />}
            </Note>
          </div>
        )}
      </div>
      <Console
        lines={hasPaused ? lines : lines.slice(-LINES_MEANWHILE)}
        inputRef={inputRef}
        onRun={(code) => void session.submit(code)}
        onClear={session.clear}
      />
    </div>
  );
}

function ResetButton({ isResetting, onReset }: { isResetting: boolean; onReset(): Promise<void> }) {
  return (
    <button
      className="btn small quiet"
      type="button"
      aria-disabled={isResetting || undefined}
      title="Starts again with an empty frame. Everything the code drew and declared is lost."
      onClick={() => void onReset()}
    >
      <Icon name="reload" />
      <span>Reset</span>
    </button>
  );
}

type ConsoleProps = {
  lines: readonly ConsoleLine[];
  inputRef: RefObject<HTMLTextAreaElement | null>;
  onRun(code: string): void;
  onClear(): void;
};

const MARKS = { input: "›", result: "‹", error: "×", log: "·" } as const;
/** For screen readers. */
const WORDS = { input: "Code", result: "Result", error: "Error", log: "Output" } as const;

function Console({ lines, inputRef, onRun, onClear }: ConsoleProps) {
  const list = useRef<HTMLDivElement>(null);
  const { onScroll } = useFollowEnd(list, lines);

  return (
    <section className="sandbox-console" aria-label="Console">
      {lines.length > 0 && (
        <div
          ref={list}
          className="sandbox-lines"
          role="log"
          aria-label="Output"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach it to scroll it
          tabIndex={0}
          onScroll={onScroll}
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

type InputProps = {
  ref: RefObject<HTMLTextAreaElement | null>;
  onRun(code: string): void;
  onClear(): void;
};

const MAX_ROWS = 8;

/** Enter runs, Shift+Enter adds a line. Arrow keys at the first and last line go through the history. */
function CodeInput({ ref, onRun, onClear }: InputProps) {
  const [code, setCode] = useState("");
  const [history, setHistory] = useState(NO_HISTORY);

  function recallFromHistory(event: KeyboardEvent<HTMLTextAreaElement>, way: "older" | "newer"): void {
    const { value, selectionStart, selectionEnd } = event.currentTarget;
    const isAtEdge =
      way === "older" ? !value.slice(0, selectionStart).includes("\n") : !value.slice(selectionEnd).includes("\n");
    const found = isAtEdge && selectionStart === selectionEnd ? recall(history, way, value) : undefined;
    if (!found) return;
    event.preventDefault();
    setHistory(found.history);
    setCode(found.text);
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    // Enter in an input method chooses a word.
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      if (code.trim() === "") return;
      onRun(code);
      setHistory(remember(history, code));
      setCode("");
    } else if (event.key === "ArrowUp") recallFromHistory(event, "older");
    else if (event.key === "ArrowDown") recallFromHistory(event, "newer");
    else if (event.key === "l" && event.ctrlKey) {
      event.preventDefault();
      onClear();
    }
  }

  return (
    <textarea
      ref={ref}
      className="sandbox-input"
      aria-label="Code to run"
      placeholder="Type JavaScript, Enter runs it"
      rows={Math.min(MAX_ROWS, code.split("\n").length)}
      value={code}
      spellCheck={false}
      autoCapitalize="off"
      autoComplete="off"
      onChange={({ target }) => setCode(target.value)}
      onKeyDown={onKeyDown}
    />
  );
}
