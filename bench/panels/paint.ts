import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import type { Session } from "../harness/session.ts";
import { PAINT_BOUND, PAINTS, QUICK_PAINTS, SCRIPT_BOUND_BYTES, SLOWED } from "./limits.ts";
import { percentile } from "./measure.ts";
import { CURRENT, openStage, type Stage } from "./stage.ts";
import { collectParts, serveStatic, staticHtml } from "./static-page.ts";

/** Six panels, of which the heavy ones are behind their tabs. */
const KINDS = ["webview", "sandbox", "system-log", "script-runner", "motor", "imu"] as const;

/** What must be loaded before a workspace of six panels shows something useful, and how long that takes on a slow machine. */
export async function paint(session: Session): Promise<void> {
  const title = "First useful paint of a workspace of six panels";
  session.progress(`${title}: starting`);
  await using stage = await openStage("panels");
  await openSix(stage);
  const page = await stage.page.context().newPage();
  const parts = collectParts(page, stage.url);
  await page.goto(stage.page.url());
  await page
    .getByRole("tab")
    .nth(KINDS.length - 1)
    .waitFor();
  await page.waitForLoadState("networkidle");
  const scripts = [...parts.values()].filter(({ type }) => type.includes("javascript"));
  const bytes = scripts.reduce((sum, script) => sum + gzipSync(script.bytes, { level: 6 }).length, 0);
  await using still = await serveStatic(await staticHtml(page, parts), parts);
  await page.close();

  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < (session.quick ? QUICK_PAINTS : PAINTS); round += 1) {
    session.progress(`${title}: ${round}`);
    session.signal.throwIfAborted();
    ours.push(await usefulMs(stage, stage.page.url()));
    theirs.push(await usefulMs(stage, still.url));
  }
  const [own, peer] = [median(ours), median(theirs)];
  const ratio = own / peer;
  const kb = (count: number) => `${(count / 1_024).toFixed(0)} kB`;
  session.say(
    [
      title,
      `  ${scripts.length} scripts, ${kb(bytes)} gzip, everything that was loaded until the page was idle`,
      `  CPU slowed ${SLOWED} times, nothing cached: every tab was drawn after ${range(ours)}, a static page with the same bytes after ${range(theirs)}`,
    ],
    [
      verdict(bytes <= SCRIPT_BOUND_BYTES, `at most ${kb(SCRIPT_BOUND_BYTES)} of script; it is ${kb(bytes)}`),
      verdict(ratio <= PAINT_BOUND, `at most ${PAINT_BOUND} × the static page; it is ${ratio.toFixed(2)}`),
    ],
  );
}

const verdict = (holds: boolean, words: string) => ({
  ...{ sentence: `target ${holds ? "holds" : "missed"}: ${words}`, holds, isStretch: false },
});

const median = (times: readonly number[]): number =>
  percentile(
    times.toSorted((a, b) => a - b),
    0.5,
  );
const range = (times: readonly number[]): string =>
  `${Math.round(median(times))} ms [${Math.round(Math.min(...times))}..${Math.round(Math.max(...times))}]`;

async function openSix(stage: Stage): Promise<void> {
  const first = await stage.call("POST", `${CURRENT}/tabs`, { panelType: KINDS[0] });
  let panelId: string = first.body.panelId ?? "";
  for (const [at, panelType] of KINDS.slice(1).entries()) {
    const direction = at % 2 === 0 ? "horizontal" : "vertical";
    const made = await stage.call("POST", `${CURRENT}/splits`, { panelId, direction, panelType });
    panelId = made.body.newPanelId ?? panelId;
  }
}

/** When every tab was drawn, and everything that the document names has loaded. */
const NOTE_USEFUL = `globalThis.useful = new Promise((resolve) => {
  const look = () => {
    if (document.readyState === "complete" && document.querySelectorAll("[role=tab]").length >= ${KINDS.length})
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})`;

/** From the navigation on, in a window of its own that has nothing cached. */
async function usefulMs(stage: Stage, url: string): Promise<number> {
  const page: Page = await stage.page.context().newPage();
  try {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("Network.setCacheDisabled", { cacheDisabled: true });
    await cdp.send("Emulation.setCPUThrottlingRate", { rate: SLOWED });
    await page.addInitScript(NOTE_USEFUL);
    await page.goto(url);
    return await page.evaluate<number>("globalThis.useful");
  } finally {
    await page.close();
  }
}
