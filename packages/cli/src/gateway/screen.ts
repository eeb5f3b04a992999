import type { WriteStream } from "node:tty";
import type { WatchdogSnapshot } from "@backplane/contract/gateway";
import { inOwnWords } from "../own-command.ts";
import { openTerminal, SHAPES, type Terminal, table } from "../terminal.ts";
import type { Span, View } from "./facts.ts";
import { clock, factsOf, headOf } from "./facts.ts";

export const painted = (spans: readonly Span[], paint: Terminal["paint"]): string =>
  spans.map(({ text, tone }) => (tone ? paint(tone, text) : text)).join("");

/** Cut to the width before painting, because colour codes take no space on the screen. */
function fitted(spans: readonly Span[], columns: number): Span[] {
  let left = columns;
  return spans.flatMap((span) => {
    const text = span.text.slice(0, left);
    left -= text.length;
    return text === "" ? [] : [{ ...span, text }];
  });
}

/** The last known state, and since when the watchdog has not answered. */
export type Seen = { snapshot: WatchdogSnapshot; goneSince: Date | undefined };
export type ScreenSize = { columns: number; rows: number };

/** One block per check: its height shows the outcome as well as its colour. */
const BLOCKS = {
  ok: { text: "▂", tone: "ok" },
  slow: { text: "▅", tone: "warn" },
  failed: { text: "█", tone: "danger" },
  none: { text: "·", tone: "off" },
} as const satisfies Record<WatchdogSnapshot["checks"][number]["outcome"], Span>;

/** One screen, line by line, never larger than the terminal. Events fill the space that is left. */
export function drawScreen({ snapshot, goneSince }: Seen, url: string, { columns, rows }: ScreenSize): Span[][] {
  const gone: Span[][] = goneSince
    ? [
        [{ text: `${SHAPES.danger} The watchdog has not answered since ${clock(goneSince)}.`, tone: "danger" }],
        [{ text: inOwnWords(process.env, "  Start everything with: backplane up. Below is the last known state.") }],
        [],
      ]
    : [];
  const head = [
    ...gone,
    ...headOf(snapshot),
    [],
    ...table(factsOf(snapshot)).map((text) => [{ text }]),
    [],
    checksLine(snapshot, columns),
    [],
  ];
  const foot: Span[][] = [[], [{ text: `  ${url}  Ctrl-C ends this view; the gateway keeps running.`, tone: "off" }]];
  const room = Math.max(0, rows - head.length - foot.length);
  const events = snapshot.events
    .slice(0, room)
    .map(({ at, says }): Span[] => [{ text: `  ${clock(new Date(at))}`, tone: "off" }, { text: `  ${says}` }]);
  return [...head, ...events, ...foot].slice(0, rows).map((line) => fitted(line, columns));
}

const INDENT: Span = { text: "  " };

function checksLine({ checks }: WatchdogSnapshot, columns: number): Span[] {
  const shown = checks.slice(-Math.max(0, columns - INDENT.text.length));
  return [
    INDENT,
    ...(shown.length === 0
      ? [{ text: "no checks yet", tone: "off" as const }]
      : shown.map(({ outcome }) => BLOCKS[outcome])),
  ];
}

// The terminal's alternate screen, without cursor. Leaving it restores what was there before.
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
    // No line break after the last line: it would scroll the first one away.
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
