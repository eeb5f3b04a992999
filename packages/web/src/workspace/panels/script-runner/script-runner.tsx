import "./script-runner.css";
import { useEffect, useReducer, useRef, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { State } from "../../../parts/state.tsx";
import { clockWithSeconds } from "../../../parts/times.ts";
import type { MountPanel, PanelContext } from "../../panel.ts";
import { useFollowEnd } from "../output-lines.ts";
import { FilePicker, usePanelPath } from "../project-files/file-picker.tsx";
import { extensionOf, nameOf } from "../project-files/paths.ts";
import { reactPanel } from "../react-panel.tsx";
import { newWindowName } from "../sandbox/open-frame.ts";
import { createScriptRunner } from "./run-script.ts";
import { afterEvent, IDLE, type OutputLine, type RunState, stateWords } from "./run-state.ts";

export const mount: MountPanel = (element, context) =>
  reactPanel(element, <ScriptRunner context={context} />, {
    focus: () => element.querySelector<HTMLElement>("input, button")?.focus(),
  });

const isScript = (path: string): boolean => ["js", "mjs"].includes(extensionOf(path));

/** Runs a script of the project in this browser, in a frame without access to the network or this page. */
function ScriptRunner({ context }: { context: PanelContext }) {
  const { wanted, choose } = usePanelPath(context);
  const [isPicking, setPicking] = useState(false);
  const [state, onEvent] = useReducer(afterEvent, IDLE);
  const frame = useRef<HTMLDivElement>(null);
  const [runner] = useState(() =>
    createScriptRunner({ context, windowName: newWindowName(Math.random), holder: () => frame.current, onEvent }),
  );
  const isRunning = state.phase === "running";
  const showsPicker = wanted === undefined || isPicking;
  const { tone, word } = stateWords(state);

  useEffect(() => () => runner.close(), [runner]);
  useEffect(() => context.setTitle(wanted === undefined ? undefined : nameOf(wanted)), [context, wanted]);

  /** After choosing a script, the next thing is to run it. */
  const takesFocus = useRef(false);
  const runButton = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (showsPicker || !takesFocus.current) return;
    takesFocus.current = false;
    runButton.current?.focus();
  }, [showsPicker]);
  const leavePicker = () => {
    takesFocus.current = true;
    setPicking(false);
  };
  const pick = (path: string) => {
    leavePicker();
    choose(path);
  };
  const toggle = () => {
    if (isRunning) runner.stop();
    else if (wanted !== undefined) void runner.run(wanted);
  };

  return (
    <section className="panel-root script-runner" aria-label="Script runner">
      <div className="script-face" hidden={showsPicker}>
        <div className="panel-tools">
          <Button ref={runButton} size="small" look={isRunning ? "danger" : "primary"} onClick={toggle}>
            {isRunning ? "Stop" : "Run"}
          </Button>
          <span className="script-name">{wanted}</span>
          <span className="grow" />
          <span role="status">
            <State tone={tone} word={word} />
          </span>
          <Button
            size="small"
            look="quiet"
            onClick={() => wanted && void context.open("code-editor", { path: wanted })}
          >
            Edit
          </Button>
          <Button size="small" look="quiet" onClick={() => setPicking(true)}>
            Choose
          </Button>
        </div>
        <Output state={state} />
        <div ref={frame} className="script-frame" inert aria-hidden="true" />
      </div>
      {showsPicker && (
        <FilePicker
          project={context.workspace}
          label="Choose a script"
          accepts={isScript}
          nothing="This project has no .js or .mjs file yet. Create one in the code editor."
          autoFocus={isPicking}
          onPick={pick}
          {...(isPicking ? { onCancel: leavePicker } : {})}
        />
      )}
    </section>
  );
}

const MARKS: Record<OutputLine["level"], [mark: string, word: string]> = {
  log: ["", ""],
  info: ["", ""],
  debug: ["", ""],
  warn: ["△", "Warning: "],
  error: ["×", "Error: "],
  fault: ["×", "Failed: "],
  result: ["‹", "Result: "],
};

function Output({ state: { phase, lines, dropped } }: { state: RunState }) {
  const list = useRef<HTMLDivElement>(null);
  const { onScroll } = useFollowEnd(list, lines);

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach it to scroll it
    <div ref={list} className="script-output" role="log" aria-label="Output" tabIndex={0} onScroll={onScroll}>
      {dropped > 0 && <p className="script-hint">{dropped} earlier lines are not kept.</p>}
      {lines.length === 0 && <p className="script-hint">{HINTS[phase]}</p>}
      {lines.map(({ key, level, text, at }) => (
        <div key={key} className={`script-line ${level}`}>
          <span aria-hidden="true">{MARKS[level][0]}</span>
          <span className="script-text">
            <span className="sr">{MARKS[level][1]}</span>
            {text}
          </span>
          <span className="script-time">{clockWithSeconds(at)}</span>
        </div>
      ))}
    </div>
  );
}

const HINTS: Record<RunState["phase"], string> = {
  idle: "Press Run to see the output here. Scripts run in this browser, without access to the network or this page.",
  running: "",
  done: "The script printed nothing.",
  failed: "",
  stopped: "The script printed nothing.",
};
