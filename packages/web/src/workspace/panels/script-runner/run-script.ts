import { PANELS_LIMITS } from "@backplane/contract/panels";
import { faultWords } from "../../../calls/fault-words.ts";
import type { PanelContext } from "../../panel.ts";
import { readFile } from "../project-files/file-calls.ts";
import { frameAddress, openFrame, type SandboxFrame } from "../sandbox/open-frame.ts";
import type { RunEvent } from "./run-state.ts";
import { tellScriptRun } from "./runs.ts";

/** Longer than any page stays open: a script runs until it ends or somebody stops it. */
const MAX_RUN_MS = 86_400_000;

type Options = {
  context: Pick<PanelContext, "tabId" | "workspace" | "framesUrl">;
  /** Distinguishes the frames of this window from those of others that show the same panel. */
  windowName: string;
  holder: () => HTMLElement | null;
  onEvent: (event: RunEvent) => void;
};

/** Runs one script at a time, each in a new frame. The next run, or stopping it, removes the frame. */
export function createScriptRunner({ context, windowName, holder, onEvent }: Options) {
  const { tabId, workspace, framesUrl } = context;
  let frame: SandboxFrame | undefined;
  let generation = 0;

  function end(turn: number, outcome: "done" | "failed" | "stopped", text: string, tookMs?: number): void {
    if (turn === generation) onEvent({ type: "ended", outcome, text, at: new Date(), tookMs });
  }

  function close(): void {
    frame?.close();
    frame = undefined;
  }

  async function sourceOf(path: string): Promise<{ source: string } | { fault: string }> {
    const answer = await readFile(workspace, path, { maxBytes: PANELS_LIMITS.maxTextFileBytes });
    if (answer.kind === "read") return { source: new TextDecoder().decode(answer.bytes) };
    if (answer.kind === "fault") return { fault: faultWords(answer.fault) };
    return {
      fault: answer.kind === "missing" ? "This script is not in the project." : "This script is too large to run here.",
    };
  }

  return {
    async run(path: string): Promise<void> {
      close();
      generation += 1;
      const turn = generation;
      onEvent({ type: "started", path, at: new Date() });
      const read = await sourceOf(path);
      const element = holder();
      if (turn !== generation || !element) return;
      if ("fault" in read) return end(turn, "failed", read.fault);
      const opened = openFrame({
        ...{ holder: element, generation: turn, onCondition: () => {} },
        address: frameAddress(framesUrl, {
          path: `${workspace.owner}/${workspace.repo}/${tabId}/script`,
          ...{ window: windowName, generation: turn },
        }),
        onLog: ({ level, text }) => {
          if (turn === generation) onEvent({ type: "printed", level, text, at: new Date() });
        },
      });
      frame = opened;
      await opened.ready;
      const source = opened.sharesThread() ? await guardModule(read.source) : read.source;
      const outcome = await opened.run(scriptCode(source), false, MAX_RUN_MS, Number.POSITIVE_INFINITY);
      const isOk = outcome.status !== "error";
      if (turn === generation) tellScriptRun(path, isOk, isOk ? outcome.json : undefined);
      if (!isOk) end(turn, "failed", explain(outcome.error), outcome.durationMs);
      else end(turn, "done", outcome.json === undefined ? "" : outcome.text, outcome.durationMs);
    },
    stop(): void {
      end(generation, "stopped", "");
      generation += 1;
      close();
    },
    close(): void {
      generation += 1;
      close();
    },
  };
}

/** A syntax error is left for the frame, which reports its line. */
async function guardModule(source: string): Promise<string> {
  const { guardCode } = await import("../sandbox/guard-code.ts");
  return guardCode(source, "module") ?? source;
}

/**
 * Runs the script as a module, so that `await` and `export` work. Its default export is the result. It is named "code",
 * the name by which the frame recognises its lines in errors.
 */
export function scriptCode(source: string): string {
  return `(${runModule})(${JSON.stringify(`${source}\n//# sourceURL=code`)})`;
}

/** Sent to the frame as text, so it must be self-contained. */
const runModule = `async (source) => {
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  try {
    return (await import(url)).default;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // Only the error event has the line number: load the same module again, which does not run it.
    throw await new Promise((resolve) => {
      const place = (event) => {
        event.preventDefault();
        if (event.lineno) error.message += ", line " + event.lineno;
        resolve(error);
      };
      addEventListener("error", place, { once: true, capture: true });
      const script = document.createElement("script");
      script.type = "module";
      script.src = url;
      document.head.append(script);
      setTimeout(resolve, 1000, error);
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}`;

const IMPORTS = /Failed to resolve module specifier ["'](?<name>[^"']+)["']/;

/** Explains why a script that works elsewhere does not work here. */
export function explain(error: string): string {
  const name = IMPORTS.exec(error)?.groups?.name;
  return name === undefined ? error : `${error}\nScripts run alone here: copy what ${name} exports into the script.`;
}
