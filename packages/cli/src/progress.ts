import type { Progress as ManagerStep } from "@backplane/registry/manager";
import { countOf, plain, sizeOf, spanOf } from "./text.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;
/** What takes less time is not shown. */
const QUIET_MS = 300;
const CLEAR_LINE = "\r\x1b[K";
const DEFAULT_COLUMNS = 80;

/** Shows what is going on, until it is disposed. */
export type Progress = Disposable & { says(text: string): void };

type Stream = Pick<NodeJS.WriteStream, "write"> & { isTTY?: boolean; columns?: number };

/** On a terminal, one line with a spinner and a clock; elsewhere, one line per change. */
export function openProgress(stream: Stream, isDumb: boolean, now: () => number): Progress {
  return stream.isTTY === true && !isDumb ? spin(stream, now) : list(stream);
}

function spin(stream: Stream, now: () => number): Progress {
  const startedMs = now();
  let text = "";
  let frame = 0;
  const draw = () => {
    const elapsedMs = now() - startedMs;
    if (text === "" || elapsedMs < QUIET_MS) return;
    const line = `${FRAMES[frame++ % FRAMES.length]} ${text}, ${spanOf(elapsedMs)}`;
    // A line that wraps could not be cleared.
    stream.write(`${CLEAR_LINE}${line.slice(0, (stream.columns || DEFAULT_COLUMNS) - 1)}`);
  };
  const timer = setInterval(draw, FRAME_MS);
  return {
    says(next) {
      text = next;
      draw();
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      if (frame > 0) stream.write(CLEAR_LINE);
    },
  };
}

function list(stream: Stream): Progress {
  let last = "";
  return {
    says(text) {
      if (text !== last) stream.write(`${text}.\n`);
      last = text;
    },
    [Symbol.dispose]() {},
  };
}

export type Shown = Disposable & {
  show(step: ManagerStep): void;
  says(text: string): void;
  /** `count` is how far it is, shown on a terminal only. */
  counts(text: string, count: string): void;
};

/** On a terminal, one line that counts; elsewhere, one line for each thing that begins. */
export function showProgress(stream: Stream, { isDumb, isQuiet }: { isDumb: boolean; isQuiet: boolean }): Shown {
  if (isQuiet) return { show() {}, says() {}, counts() {}, [Symbol.dispose]() {} };
  const progress = openProgress(stream, isDumb, Date.now);
  const isSpinning = stream.isTTY === true && !isDumb;
  const saidOnce = new Set<string>();
  /** Things that go on at the same time would otherwise be printed again and again. */
  const once = (text: string) => {
    if (saidOnce.has(text)) return;
    saidOnce.add(text);
    progress.says(text);
  };
  return {
    show: (step) => (isSpinning ? progress.says(counted(step)) : once(begun(step))),
    says: (text) => progress.says(text),
    counts: (text, count) => (isSpinning ? progress.says(`${text}${count}`) : once(text)),
    [Symbol.dispose]: () => progress[Symbol.dispose](),
  };
}

function begun(step: ManagerStep): string {
  switch (step.kind) {
    case "download":
      return `Downloading ${plain(step.identifier)}${step.total === undefined ? "" : `, ${sizeOf(step.total)}`}`;
    case "unpack":
      return `Unpacking ${plain(step.identifier)}, ${sizeOf(step.total)}`;
    case "refresh":
      return `Reading the list of ${plain(step.repository)}`;
    case "mirror":
      return `Copying ${countOf(step.total, "version")}`;
  }
}

function counted(step: ManagerStep): string {
  switch (step.kind) {
    case "download": {
      const all = step.total === undefined ? "" : ` of ${sizeOf(step.total)}`;
      return `Downloading ${plain(step.identifier)}, ${sizeOf(step.done)}${all}`;
    }
    case "unpack":
      return `Unpacking ${plain(step.identifier)}, ${sizeOf(step.done)} of ${sizeOf(step.total)}`;
    case "refresh":
      return `Reading lists, ${step.done} of ${step.total}: ${plain(step.repository)}`;
    case "mirror":
      return `Copying ${plain(step.identifier)}, ${step.done} of ${step.total}`;
  }
}
