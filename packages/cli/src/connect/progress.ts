import { spanOf } from "./spans.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;
/** What is done by then needs no words. */
const QUIET_MS = 300;
const CLEAR_LINE = "\r\x1b[K";
const DEFAULT_COLUMNS = 80;

/** What is going on, until it is closed. */
export type Progress = Disposable & { says(text: string): void };

type Stream = Pick<NodeJS.WriteStream, "write"> & { isTTY?: boolean; columns?: number };

/** On a terminal one line that turns and counts; elsewhere a line a change. */
export function openProgress(stream: Stream, isDumb: boolean, now: () => number): Progress {
  return stream.isTTY === true && !isDumb ? turn(stream, now) : list(stream);
}

function turn(stream: Stream, now: () => number): Progress {
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
