import type { Page } from "playwright-core";
import type { Session } from "../harness/session.ts";
import { MAX_PLOT_SHARE, PLOT } from "./limits.ts";
import { addBundle, bundle, mainThreadMs, openBrowser } from "./main-thread.ts";

const REPETITIONS = 3;
type Way = "envelope" | "all points";

/** Lines that grow, 60 times per second: what they cost the main thread of a page, beside uPlot with all points. */
export async function plots(session: Session): Promise<void> {
  const built = await bundle("plots-page.mjs");
  const browser = await openBrowser();
  const shares: number[] = [];
  try {
    const page = await browser.newPage({ viewport: { width: 1_200, height: 600 } });
    for (let i = 0; i < (session.quick ? 1 : REPETITIONS); i += 1) {
      session.progress(`Plots: repetition ${i + 1}`);
      const all = await frameMs(page, built, "all points", session);
      shares.push((await frameMs(page, built, "envelope", session)) / all);
    }
  } finally {
    await browser.close();
  }
  const median = shares.sort((a, b) => a - b)[Math.floor(shares.length / 2)] ?? Number.NaN;
  const holds = median <= MAX_PLOT_SHARE;
  const sentence = `target ${holds ? "holds" : "missed"}: at most ${MAX_PLOT_SHARE}; it is ${median.toFixed(3)}`;
  session.say(
    [
      `Plot, ${PLOT.series} lines of ${PLOT.hz * PLOT.minutes * 60} points: CPU of the page per frame, to uPlot with all points`,
    ],
    [{ holds, isStretch: false, sentence }],
  );
}

async function frameMs(page: Page, built: string, way: Way, session: Session): Promise<number> {
  await page.setContent('<div id="at" style="position:relative;width:1200px;height:600px"></div>');
  await addBundle(page, built);
  const options = JSON.stringify(PLOT);
  await page.evaluate(
    `globalThis.frame = bench.ways[${JSON.stringify(way)}](${options}, document.getElementById("at"))`,
  );
  await run(page, 1);
  let frames = 0;
  const tookMs = await mainThreadMs(page, async () => {
    frames = await run(page, session.quick ? 3 : PLOT.seconds);
  });
  session.signal.throwIfAborted();
  return tookMs / frames;
}

/** How many frames there were. */
const run = (page: Page, seconds: number): Promise<number> =>
  page.evaluate(`(async () => {
    const endMs = performance.now() + ${seconds * 1_000};
    let frames = 0;
    for (; performance.now() < endMs; frames += 1) {
      await new Promise(requestAnimationFrame);
      frame();
    }
    return frames;
  })()`);
