import type { WatchdogSnapshot } from "@backplane/contract/gateway";
import { SHAPES, table } from "../terminal.ts";
import { clock, factsOf, headOf } from "./facts.ts";
import { fitted, type Span } from "./spans.ts";

/** The last that is known, and since when nothing more is. */
export type Seen = { snapshot: WatchdogSnapshot; goneSince: Date | undefined };
export type ScreenSize = { columns: number; rows: number };

/** A pin a check: the height says it before the colour does. */
const BLOCKS = {
  ok: { text: "▂", tone: "ok" },
  slow: { text: "▅", tone: "warn" },
  failed: { text: "█", tone: "danger" },
  none: { text: "·", tone: "off" },
} as const satisfies Record<WatchdogSnapshot["checks"][number]["outcome"], Span>;

/** One screen of a terminal, line by line, never larger than it. Events fill the room that is left. */
export function drawScreen({ snapshot, goneSince }: Seen, url: string, { columns, rows }: ScreenSize): Span[][] {
  const gone: Span[][] = goneSince
    ? [
        [{ text: `${SHAPES.danger} Watchdog does not answer since ${clock(goneSince)}.`, tone: "danger" }],
        [{ text: "  Start everything with: backplane up. Below is what it said last." }],
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
  const foot: Span[][] = [[], [{ text: `  ${url}  Ctrl-C ends this view; the gateway goes on.`, tone: "off" }]];
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
      ? [{ text: "no check yet", tone: "off" as const }]
      : shown.map(({ outcome }) => BLOCKS[outcome])),
  ];
}
