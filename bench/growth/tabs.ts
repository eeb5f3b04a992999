import type { Page } from "playwright-core";
import { mainThreadMs } from "../devices/main-thread.ts";
import { BenchFault } from "../harness/fault.ts";
import { CURRENT, openStage, type Stage } from "../panels/stage.ts";
import { cpuPerCall } from "./cpu-per-call.ts";
import { growthCase } from "./growth.ts";

const SIZES = [5, 10, 20, 40, 60];
/** The panels that people see, side by side; all other tabs are behind these. */
const SHOWN = ["motor", "imu", "servo"] as const;
const BEHIND = ["sandbox", "webview", "code-editor", "system-log", "led", "script-runner", "gpio"] as const;
const REPETITIONS = 5;
/** Per repetition, because one is too short to measure. */
const CHANGES = 20;

const COSTS = {
  "open the workspace, page": { unit: "ms of CPU", bar: "flat" },
  "open the workspace, server": { unit: "ms of CPU", bar: "flat" },
  "change a tab, page": { unit: "ms of CPU", bar: "flat" },
  "change a tab, server": { unit: "ms of CPU", bar: "flat" },
  "show another tab, page": { unit: "ms of CPU", bar: "flat" },
  "memory of the page": { unit: "MB", bar: "linear" },
} as const;

export const tabs = growthCase({
  ...{ name: "tabs", title: "Tabs of a workspace", things: "tabs", sizes: SIZES, costs: COSTS, measure },
  filled:
    "Three panels are seen, all other tabs are behind them. The page is Chromium's: CPU time of its main thread, and memory of its scripts. A workspace is open when its three panels are. A change is a new name, in the page as soon as the server has it.",
});

async function measure(size: number) {
  await using stage = await openStage("platform");
  const { page, server, call } = stage;
  const [seen, other] = await openTabs(stage, size);
  await untilOpen(page);
  const opened = await repeated(() =>
    mainThreadMs(page, async () => {
      await page.reload();
      await untilOpen(page);
    }),
  );
  let names = 0;
  const rename = async () => {
    const displayName = `Motor ${++names}`;
    const { status } = await call("PATCH", `${CURRENT}/tabs`, { tabId: seen, displayName });
    if (status >= 300) throw new BenchFault(`The tab was not renamed: ${status}.`);
  };
  const changed = await repeated(async () => {
    const tookMs = await mainThreadMs(page, async () => {
      for (let at = 0; at < CHANGES; at += 1) {
        const renamed = page.evaluate(untilTitled(seen, `Motor ${names + 1}`));
        await rename();
        await renamed;
      }
    });
    return tookMs / CHANGES;
  });
  const shown = await repeated(async () => {
    const tookMs = await mainThreadMs(page, async () => {
      for (let at = 0; at < CHANGES; at += 1) await show(page, at % 2 === 0 ? other : seen);
    });
    return tookMs / CHANGES;
  });
  return {
    "open the workspace, page": opened,
    "change a tab, page": changed,
    "show another tab, page": shown,
    "memory of the page": [await scriptMemoryMb(page)],
    "open the workspace, server": await cpuPerCall(server, () => call("GET", CURRENT)),
    "change a tab, server": await cpuPerCall(server, rename, { calls: 20 }),
  };
}

/** The first panel's tab, and the one behind it. */
async function openTabs({ call }: Stage, size: number): Promise<[seen: string, other: string]> {
  const add = async (way: "tabs" | "splits", body: object) => {
    const { status, body: made } = await call("POST", `${CURRENT}/${way}`, body);
    if (status !== 201) throw new BenchFault(`No tab was added: ${status} ${JSON.stringify(made)}.`);
    return { tabId: String(made.tabId), panelId: String(made.newPanelId ?? made.panelId) };
  };
  const first = await add("tabs", { panelType: SHOWN[0] });
  const places = [first.panelId];
  for (const panelType of SHOWN.slice(1)) {
    const { panelId } = await add("splits", { panelType, panelId: places.at(-1), direction: "horizontal" });
    places.push(panelId);
  }
  const behind: string[] = [];
  for (let at = 0; at < size - SHOWN.length; at += 1) {
    const panelType = at === 0 ? "led" : BEHIND[at % BEHIND.length];
    const { tabId } = await add("tabs", { panelType, panelId: places[at % places.length], background: true });
    behind.push(tabId);
  }
  return [first.tabId, behind[0] ?? ""];
}

const untilOpen = (page: Page) =>
  page
    .locator("[role=tabpanel][data-shown=true]:not([aria-busy])")
    .nth(SHOWN.length - 1)
    .waitFor();

/** For the page. A search of Playwright's would look at every tab there, again and again. */
const untilTitled = (tabId: string, title: string): string => `new Promise((resolve) => {
  const tab = document.querySelector('.tab[data-tab="${tabId}"] [role=tab]');
  const look = () => {
    if (tab.title !== ${JSON.stringify(title)}) return;
    observer.disconnect();
    resolve();
  };
  const observer = new MutationObserver(look);
  observer.observe(tab, { attributeFilter: ["title"] });
  look();
})`;

async function show(page: Page, tabId: string): Promise<void> {
  await page.locator(`.tab[data-tab="${tabId}"] [role=tab]`).click();
  await page.locator(`[role=tabpanel][data-tab="${tabId}"][data-shown=true]:not([aria-busy])`).waitFor();
}

async function repeated(once: () => Promise<number>): Promise<number[]> {
  // The compiler is still at work during the first one.
  await once();
  const took: number[] = [];
  for (let at = 0; at < REPETITIONS; at += 1) took.push(await once());
  return took;
}

async function scriptMemoryMb(page: Page): Promise<number> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  await cdp.detach();
  return usedSize / 1e6;
}
