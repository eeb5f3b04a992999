import { type CDPSession, chromium, type Page } from "playwright-core";
import { build } from "vite";
import { chromiumFlags, findChromium } from "../../scripts/services/index.ts";
import { BenchFault } from "../harness/fault.ts";
import type { Session } from "../harness/session.ts";
import { MAX_PLOT_SHARE, PLOT } from "./limits.ts";

const REPETITIONS = 3;
type Way = "envelope" | "all points";

/** Lines that grow, 60 times per second: what they cost the main thread of a page, beside uPlot with all points. */
export async function plots(session: Session): Promise<void> {
  const code = await bundle();
  const browser = await chromium.launch({ executablePath: await findChromium(), args: [...chromiumFlags] });
  const shares: number[] = [];
  try {
    const page = await browser.newPage({ viewport: { width: 1_200, height: 600 } });
    for (let i = 0; i < (session.quick ? 1 : REPETITIONS); i += 1) {
      session.progress(`Plots: repetition ${i + 1}`);
      const all = await frameMs(page, code, "all points", session);
      shares.push((await frameMs(page, code, "envelope", session)) / all);
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

async function bundle(): Promise<string> {
  const entry = new URL("plots-page.mjs", import.meta.url).pathname;
  const built = await build({
    ...{ configFile: false, logLevel: "silent" },
    build: { write: false, lib: { entry, formats: ["iife"], name: "bench" } },
  });
  const [first] = Array.isArray(built) ? built : [];
  const code = first?.output.find(({ type }) => type === "chunk");
  if (!code || !("code" in code)) throw new BenchFault("The page of the bench was not built.");
  return code.code;
}

/** CPU time of the main thread, so that other work on the machine does not count. */
async function frameMs(page: Page, code: string, way: Way, session: Session): Promise<number> {
  await page.setContent('<div id="at" style="position:relative;width:1200px;height:600px"></div>');
  await page.addScriptTag({ content: code });
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  const options = JSON.stringify(PLOT);
  await page.evaluate(
    `globalThis.frame = bench.ways[${JSON.stringify(way)}](${options}, document.getElementById("at"))`,
  );
  await run(page, 1);
  const before = await taskMs(cdp);
  const frames = await run(page, session.quick ? 3 : PLOT.seconds);
  const tookMs = (await taskMs(cdp)) - before;
  await cdp.detach();
  session.signal.throwIfAborted();
  return tookMs / frames;
}

async function taskMs(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send("Performance.getMetrics");
  return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN) * 1_000;
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
