import type { WriteStream } from "node:tty";
import { openTerminal } from "../terminal.ts";
import { headOf } from "./facts.ts";
import { drawScreen, type Seen } from "./screen.ts";
import { painted } from "./spans.ts";
import type { View } from "./view.ts";

// The terminal's second screen, without cursor: what stood there before is back in the end.
const ENTER = "\x1b[?1049h\x1b[?25l";
const LEAVE = "\x1b[?25h\x1b[?1049l";
const HOME = "\x1b[H";
const CLEAR_LINE = "\x1b[K";
const CLEAR_BELOW = "\x1b[J";

const NARROWEST = 20;
const DEFAULT_SIZE = { columns: 80, rows: 24 };

/** A live view that is drawn over itself. */
export function showScreen(stream: WriteStream | NodeJS.WriteStream, url: string): View {
  const { paint } = openTerminal(stream as NodeJS.WriteStream);
  let seen: Seen | undefined;
  stream.write(ENTER);

  function draw(): void {
    if (!seen) return;
    const size = {
      columns: Math.max(NARROWEST, stream.columns || DEFAULT_SIZE.columns),
      rows: stream.rows || DEFAULT_SIZE.rows,
    };
    const lines = drawScreen(seen, url, size).map((line) => `${painted(line, paint)}${CLEAR_LINE}`);
    // No line end after the last: it would scroll the first one away.
    stream.write(`${HOME}${lines.join("\r\n")}${CLEAR_BELOW}`);
  }
  stream.on("resize", draw);
  return {
    seen(snapshot) {
      seen = { snapshot, goneSince: undefined };
      draw();
    },
    gone(since) {
      if (seen) seen = { ...seen, goneSince: since };
      draw();
    },
    close() {
      stream.off("resize", draw);
      stream.write(LEAVE);
      if (seen)
        stream.write(
          `${headOf(seen.snapshot)
            .map((line) => painted(line, paint))
            .join("\n")}\n`,
        );
    },
  };
}
