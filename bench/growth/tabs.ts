import type { CDPSession } from "playwright-core";
import { BenchFault } from "../harness/fault.ts";
import type { Session } from "../harness/session.ts";
import { CURRENT, openStage, type Stage } from "../panels/stage.ts";
import { measureGrowth } from "./growth.ts";

const SIZES = [5, 15, 30, 60];
const REPETITIONS = 5;
const PANELS = ["system-log", "sensor-monitor", "imu"];

const COSTS = {
  "open the page": { unit: "ms of CPU", bar: "flat" },
  "go to another tab": { unit: "ms of CPU", bar: "flat" },
  "JavaScript's memory": { unit: "MB", bar: "flat" },
} as const;

export const tabs = (session: Session): Promise<void> =>
  measureGrowth(session, {
    ...{ name: "tabs", title: "Tabs of a workspace", things: "tabs", sizes: SIZES, costs: COSTS, measure },
    filled: "Tabs of one panel, opened over HTTP, in Chromium; the time is that of the page's main thread.",
  });

async function measure(size: number) {
  await using stage = await openStage("platform");
  const ids: string[] = [];
  for (let at = 0; at < size; at += 1) ids.push(await addTab(stage, PANELS[at % PANELS.length] ?? ""));
  const { page } = stage;
  const chromium = await page.context().newCDPSession(page);
  await chromium.send("Performance.enable", { timeDomain: "threadTicks" });
  const opened: number[] = [];
  for (let at = 0; at <= REPETITIONS; at += 1) {
    const before = await metricsOf(chromium);
    await page.reload();
    await page.locator("[data-connection=open]").first().waitFor({ state: "attached" });
    const after = await metricsOf(chromium);
    if (at > 0) opened.push((after.taskS - before.taskS) * 1_000);
  }
  const changed: number[] = [];
  for (let at = 0; at <= REPETITIONS; at += 1) {
    const before = await metricsOf(chromium);
    for (const id of ids.slice(0, 5)) {
      const { status } = await stage.call("PATCH", `${CURRENT}/tabs`, { tabId: id, active: true });
      if (status !== 200) throw new BenchFault(`A tab was not shown: ${status}.`);
      await page.waitForTimeout(100);
    }
    if (at > 0) changed.push(((await metricsOf(chromium)).taskS - before.taskS) * 200);
  }
  return {
    "open the page": opened,
    "go to another tab": changed,
    "JavaScript's memory": [(await metricsOf(chromium)).heapBytes / 1e6],
  };
}

async function addTab({ call }: Stage, panelType: string): Promise<string> {
  const made = await call("POST", `${CURRENT}/tabs`, { panelType });
  if (made.status !== 201) throw new BenchFault(`No tab was opened: ${made.status} ${JSON.stringify(made.body)}.`);
  return made.body.tabId ?? "";
}

async function metricsOf(chromium: CDPSession): Promise<{ taskS: number; heapBytes: number }> {
  const { metrics } = await chromium.send("Performance.getMetrics");
  const figure = (name: string) => metrics.find((one) => one.name === name)?.value ?? Number.NaN;
  return { taskS: figure("TaskDuration"), heapBytes: figure("JSHeapUsedSize") };
}
