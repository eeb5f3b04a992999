import { useEffect, useReducer, useRef, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { State } from "../../../parts/state.tsx";
import type { PanelContext } from "../../panel.ts";
import "../panel-tools.css";
import { FilePicker } from "../project-files/file-picker.tsx";
import { endingOf, nameOf } from "../project-files/path-words.ts";
import { usePanelPath } from "../project-files/use-panel-path.ts";
import { newWindowName } from "../sandbox/frame-address.ts";
import { Output } from "./output.tsx";
import { createScriptRunner } from "./run-script.ts";
import { afterEvent, IDLE, stateWords } from "./run-state.ts";
import "./script-runner.css";

const isScript = (path: string): boolean => ["js", "mjs"].includes(endingOf(path));

/** Runs a script of the project in this browser, in a frame that can reach nothing. */
export function ScriptRunner({ context }: { context: PanelContext }) {
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

  /** Whoever has just chosen a script runs it next. */
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
          nothing="This project has no .js or .mjs file yet. Make one in the code editor."
          autoFocus={isPicking}
          onPick={pick}
          {...(isPicking ? { onCancel: leavePicker } : {})}
        />
      )}
    </section>
  );
}
