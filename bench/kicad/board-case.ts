import { basename } from "node:path";
import type { Page } from "playwright-core";
import { readBoard } from "../../packages/kicad/src/board/index.ts";
import { addBundle, bundle, openBrowser } from "../devices/main-thread.ts";
import { BenchFault } from "../harness/fault.ts";
import { spreadOf } from "../harness/figures.ts";
import type { Session } from "../harness/session.ts";
import { demosHere, readDemo } from "./demos.ts";
import {
  BOARD_LOADS,
  COARSE_PX,
  LARGE_ZONES_POINTS,
  MAX_BOARD_SHARE,
  MAX_ZONES_SHARE,
  QUICK_BOARD_LOADS,
  SHARP_PX,
} from "./limits.ts";

const BOARDS = [
  "ecc83/ecc83-pp.kicad_pcb",
  "stickhub/StickHub.kicad_pcb",
  "flat_hierarchy/flat_hierarchy.kicad_pcb",
  "kit-dev-coldfire-xilinx_5213/kit-dev-coldfire-xilinx_5213.kicad_pcb",
  "video/video.kicad_pcb",
];
const WORKER = "../../packages/web/src/workspace/panels/board-viewer/worker/board-worker.ts";

type Shown = { loadedMs: number; drawnMs: number; sharpMs: number; isPainted: boolean };
type Parsed = { parsedMs: number; footprints: number };

/** A board in the panel's worker, from its bytes to the first picture, compared with kicadts' parsing it in a worker. */
export async function board(session: Session): Promise<void> {
  const boards = demosHere(session, BOARDS);
  const code = await bundle("../kicad/board-page.mjs");
  const codes = { ours: await bundle(WORKER), peer: await bundle("../kicad/board-peer.mjs") };
  const sizes = { coarsePx: COARSE_PX, sharpPx: SHARP_PX };
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    await addBundle(page, code);
    await page.evaluate(`Object.assign(globalThis, ${JSON.stringify({ codes, sizes })})`);
    for (const path of boards) await showBoard(session, page, path);
  } finally {
    await browser.close();
  }
}

/** A worker is new for each load, as in the panel: none of its code is compiled yet. */
async function showBoard(session: Session, page: Page, path: string): Promise<void> {
  const name = basename(path);
  const text = readDemo(path);
  const points = readBoard(text).zones.reduce((sum, { areas }) => sum + areas.flat().length, 0);
  await page.evaluate(`Object.assign(globalThis, ${JSON.stringify({ text })})`);
  const [shares, shows, parses]: [number[], Shown[], number[]] = [[], [], []];
  for (let load = 0; load <= (session.quick ? QUICK_BOARD_LOADS : BOARD_LOADS); load += 1) {
    session.progress(`${name}: load ${load}`);
    session.signal.throwIfAborted();
    const shown = await page.evaluate<Shown>("bench.show(codes.ours, text, sizes)");
    const { parsedMs, footprints } = await page.evaluate<Parsed>("bench.parse(codes.peer, text)");
    if (!shown.isPainted) throw new BenchFault(`${name}: a picture is empty.`);
    if (footprints === 0) throw new BenchFault(`${name}: kicadts found no footprint.`);
    // The first one warms up the browser.
    if (load === 0) continue;
    shares.push(shown.drawnMs / parsedMs);
    shows.push(shown);
    parses.push(parsedMs);
  }
  const atMost = points > LARGE_ZONES_POINTS ? MAX_ZONES_SHARE : MAX_BOARD_SHARE;
  const { median, min, max } = spreadOf(shares);
  const holds = median <= atMost;
  const ms = (values: readonly number[]) => `${spreadOf(values).median.toFixed(0)} ms`;
  const times = [
    `read after ${ms(shows.map(({ loadedMs }) => loadedMs))}`,
    `drawn after ${ms(shows.map(({ drawnMs }) => drawnMs))}`,
    `both sides sharp after ${ms(shows.map(({ sharpMs }) => sharpMs))}`,
  ];
  session.say(
    [
      `Board ${name}, ${Math.round(text.length / 1_000)} kB, ${points} points of zones, medians of ${shows.length} loads`,
      `  ${times.join(", ")}; kicadts has parsed it after ${ms(parses)}`,
    ],
    [
      {
        ...{ holds, isStretch: false },
        sentence: `target ${holds ? "holds" : "missed"}: drawn after at most ${atMost} × kicadts' time; it is ${median.toFixed(2)} [${min.toFixed(2)}..${max.toFixed(2)}]`,
      },
    ],
  );
}
