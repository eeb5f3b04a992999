import type { Locator, Page } from "playwright-core";
import { until } from "./processes.ts";

/** To something in a frame of a workspace, as people do before they press: until then the frame is covered. */
async function moveMouseTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  await target.scrollIntoViewIfNeeded();
  const box = await target.boundingBox();
  const [x, y] = [(box?.x ?? 0) + 5, (box?.y ?? 0) + 5];
  await page.mouse.move(x, y);
  const isInFrame = () =>
    page.evaluate(([x, y]) => document.elementFromPoint(x, y)?.matches("iframe"), [x, y] as const);
  await until(isInFrame, "the mouse is in the frame");
}

export async function clickInFrame(page: Page, target: Locator): Promise<void> {
  await moveMouseTo(page, target);
  await target.click();
}
