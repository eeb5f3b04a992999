import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { CDPSession, Page } from "playwright-core";

/** A frame that comes later than this is seen as a jump. */
const GAP_MS = 100;

/** Frames of a page while it was watched. */
export type Frames = {
  watchedMs: number;
  gaps: number;
  longestMs: number;
  /** How much of the time the page's own thread worked, and how many programs wanted a processor. */
  busyShare: number;
  load: number;
};

type Watching = { gaps: number; longestMs: number; isOver: boolean };
type WatchedWindow = { watching?: Watching };

/** Watches for some time. What garbage collection on demand takes is not in it. */
export async function watchFrames(page: Page, session: CDPSession, forMs: number, gapMs = GAP_MS): Promise<Frames> {
  const busyS = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
  };
  // By the thread's own time: what other programs take is not in it.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const startedMs = Date.now();
  const busyBeforeS = await busyS();
  await page.evaluate((limitMs) => {
    const watching: Watching = { gaps: 0, longestMs: 0, isOver: false };
    (window as WatchedWindow).watching = watching;
    let lastMs: number | undefined;
    const look = (nowMs: number) => {
      if (watching.isOver) return;
      const gap = nowMs - (lastMs ?? nowMs);
      if (gap > limitMs) watching.gaps += 1;
      watching.longestMs = Math.max(watching.longestMs, gap);
      lastMs = nowMs;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, gapMs);
  await sleep(forMs);
  const { gaps, longestMs } = await page.evaluate(() => {
    const { watching } = window as WatchedWindow;
    if (!watching) throw new Error("The page was loaded again.");
    watching.isOver = true;
    return watching;
  });
  const watchedMs = Date.now() - startedMs;
  const busyShare = ((await busyS()) - busyBeforeS) / (watchedMs / 1_000);
  await session.send("Performance.disable");
  return { watchedMs, gaps, longestMs, busyShare, load: loadavg()[0] ?? 0 };
}
