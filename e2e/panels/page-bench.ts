import { isDeepStrictEqual } from "node:util";
import type { LayoutNode } from "@backplane/contract/panels";
import type { Locator, Page } from "playwright-core";
import { until } from "../support/processes.ts";
import { type Driver, leavesOf } from "../support/workspaces.ts";

export const tab = (page: Page, name: string | RegExp): Locator => page.getByRole("tab", { name });
export const dialog = (page: Page, name: string | RegExp): Locator => page.getByRole("dialog", { name });

/** The layout as one line: tab names, the active one in brackets, and the sides of each split. */
function lineOf(node: LayoutNode, nameOf: (panelType: string) => string): string {
  if (node.type === "split") {
    const sign = node.direction === "horizontal" ? "|" : "/";
    return `(${lineOf(node.first, nameOf)} ${sign} ${lineOf(node.second, nameOf)})`;
  }
  const names = node.tabs.map(({ id, panelType, displayName }) => {
    const name = displayName ?? nameOf(panelType);
    return id === node.activeTabId ? `[${name}]` : name;
  });
  return names.join(" ");
}

/** What the page shows, in the server's terms: each panel with its tabs, and each split. */
const drawn = (page: Page) =>
  page.evaluate(() => ({
    panels: [...document.querySelectorAll<HTMLElement>(".leaf")].map(({ dataset, children }) => {
      const tabs = [...(children[0]?.querySelectorAll<HTMLElement>(".tab") ?? [])];
      const shown = tabs.find((each) => each.dataset.shown === "true");
      return { id: dataset.leaf, tabs: tabs.map((each) => each.dataset.tab), shown: shown?.dataset.tab ?? null };
    }),
    splits: [...document.querySelectorAll(".splitter")].map((each) => each.getAttribute("aria-orientation")).sort(),
  }));

function asDrawn(root: LayoutNode): Awaited<ReturnType<typeof drawn>> {
  const splits = (node: LayoutNode): string[] =>
    node.type === "leaf"
      ? []
      : [node.direction === "horizontal" ? "vertical" : "horizontal", ...splits(node.first), ...splits(node.second)];
  const panels = leavesOf(root).map(({ id, tabs, activeTabId }) => ({
    ...{ id, tabs: tabs.map((each) => each.id), shown: activeTabId },
  }));
  return { panels, splits: splits(root).sort() };
}

export async function shows(page: Page, driver: Driver): Promise<void> {
  let seen: unknown;
  let had: unknown;
  await until(async () => {
    had = asDrawn((await driver.layout()).root);
    seen = await drawn(page);
    return isDeepStrictEqual(seen, had);
  }, "the page shows the server's layout").catch((error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(seen)} instead of ${JSON.stringify(had)}`);
  });
}

export async function becomes(driver: Driver, line: string): Promise<void> {
  const kinds = await driver.kinds();
  let last = "";
  await until(async () => {
    last = lineOf((await driver.layout()).root, (panelType) => kinds.get(panelType) ?? panelType);
    return last === line;
  }, `the layout becomes ${line}`).catch((error: Error) => {
    throw new Error(`${error.message}; it is ${last}`);
  });
}

export type Point = { x: number; y: number };

export async function centreOf(locator: Locator, share: Point = { x: 0.5, y: 0.5 }): Promise<Point> {
  const box = await locator.boundingBox();
  if (!box) throw new Error(`${locator} is not visible`);
  return { x: box.x + box.width * share.x, y: box.y + box.height * share.y };
}

/** Moves a little first, until the page has started the drag, then all the way. */
export async function drag(page: Page, from: Point, to: Point): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 8, from.y, { steps: 2 });
  await page.locator(".drag-shield").waitFor({ state: "attached" });
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await page.mouse.up();
}
