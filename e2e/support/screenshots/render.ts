import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, CDPSession, Page } from "playwright-core";
import { newContext } from "../browser.ts";
import type { ScreenshotSpec } from "./spec.ts";

/** Renders one `<id>.png` per spec into the folder; returns the paths by id. */
export async function renderScreenshots(
  specs: readonly ScreenshotSpec[],
  folder: string,
  browser: Browser,
): Promise<Map<string, string>> {
  const context = await newContext(browser, { viewport: null, javaScriptEnabled: false });
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    const paths = new Map<string, string>();
    for (const spec of specs) paths.set(spec.id, await render(spec, folder, page, session));
    return paths;
  } finally {
    await context.close();
  }
}

/** Over CDP: one page serves both scales, and a faster encoder helps because PNG encoding takes most of the time. */
async function render(spec: ScreenshotSpec, folder: string, page: Page, session: CDPSession): Promise<string> {
  await session.send("Emulation.setDeviceMetricsOverride", {
    width: spec.width / spec.scale,
    height: spec.height / spec.scale,
    deviceScaleFactor: spec.scale,
    mobile: false,
  });
  await page.setContent(spec.html, { waitUntil: "load" });
  const { data } = await session.send("Page.captureScreenshot", { format: "png", optimizeForSpeed: true });
  const path = join(folder, `${spec.id}.png`);
  await writeFile(path, Buffer.from(data, "base64"));
  return path;
}
