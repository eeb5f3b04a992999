import { type CDPSession, chromium, type Page } from "playwright-core";
import { build } from "vite";
import { chromiumFlags, findChromium } from "../../scripts/services/index.ts";
import { BenchFault } from "../harness/fault.ts";

export const openBrowser = async () =>
  chromium.launch({ executablePath: await findChromium(), args: [...chromiumFlags] });

/** One script with everything that a page of the bench needs, which sets `bench`. Its workers are those of the app: their files are named by what is in them. */
export async function bundle(file: string): Promise<string> {
  const entry = new URL(file, import.meta.url).pathname;
  const built = await build({
    ...{ configFile: false, logLevel: "silent" },
    // As the app is built: React looks at it.
    define: { "process.env.NODE_ENV": '"production"' },
    build: { write: false, lib: { entry, formats: ["es"] } },
  });
  const [first] = Array.isArray(built) ? built : [];
  const code = first?.output.find(({ type }) => type === "chunk");
  if (!code || !("code" in code)) throw new BenchFault("The page of the bench was not built.");
  return code.code;
}

export async function addBundle(page: Page, content: string): Promise<void> {
  await page.addScriptTag({ content, type: "module" });
  await page.waitForFunction("globalThis.bench");
}

/** CPU time of the page's main thread while this happens, so that other work on the machine does not count. */
export async function mainThreadMs(page: Page, work: () => Promise<void>): Promise<number> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  const before = await taskMs(cdp);
  await work();
  const tookMs = (await taskMs(cdp)) - before;
  await cdp.detach();
  return tookMs;
}

async function taskMs(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send("Performance.getMetrics");
  return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN) * 1_000;
}
