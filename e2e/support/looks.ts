import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Result, RunOptions } from "axe-core";
import type { BrowserContextOptions, Page } from "playwright-core";
import { isLongRun } from "../../scripts/testing/long.ts";
import { isTooWide, NARROW } from "./narrow.ts";

export type Look = { name: string; options: BrowserContextOptions };

/** Every way a page must look right: both colours, wide and narrow. */
export const LOOKS: readonly Look[] = [
  { name: "light", options: { colorScheme: "light" } },
  { name: "dark and as narrow as can be", options: { ...NARROW, colorScheme: "dark" } },
  ...inLongRun(
    { name: "dark", options: { colorScheme: "dark" } },
    { name: "on a phone", options: { viewport: { width: 390, height: 844 }, hasTouch: true } },
  ),
];

/** These only in a long run. */
function inLongRun(...looks: Look[]): Look[] {
  return isLongRun ? looks : [];
}

/** The rules of axe whose result depends on the colours or the width of a page that otherwise stays the same. */
const COLOR_AND_WIDTH_RULES: readonly string[] = [
  "color-contrast",
  "link-in-text-block",
  "scrollable-region-focusable",
];

type Part = {
  /** A selector; without it the whole page. */
  part?: string | undefined;
  /** Without them all rules. */
  rules?: readonly string[] | undefined;
};

const AXE = readFileSync(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/**
 * Everything axe finds in the page, not in its frames, which other sites fill. Without AxeBuilder: it takes a third more
 * CPU time, and outside legacy mode twice as much.
 */
export async function axeViolations(page: Page, { part, rules }: Part = {}): Promise<Result[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  const options: RunOptions = { resultTypes: ["violations"], iframes: false };
  if (rules !== undefined) options.runOnly = [...rules];
  return page.evaluate(async ([where, how]) => (await window.axe.run(where ?? document, how)).violations, [
    part,
    options,
  ] as const);
}

/** Nothing that axe finds serious or critical, and nothing that has to be scrolled sideways. */
export async function assertLooksRight(
  page: Page,
  what: string,
  part?: string,
  rules?: readonly string[],
): Promise<void> {
  const violations = await axeViolations(page, { part, rules });
  const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  const told = grave.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  assert.deepEqual(told, [], what);
  assert.equal(await isTooWide(page), false, `${what} scrolls sideways`);
}

/**
 * `assertLooksRight` in every look without opening the page again: all rules as it is, and then dark, narrow, or both,
 * the rules that depend on it. Afterwards the page is light and as wide as before.
 */
export function assertLooksRightInEveryLook(page: Page, what: string, part?: string): Promise<void> {
  return inEveryLook(page, (look, rules) => assertLooksRight(page, `${what}, ${look}`, part, rules));
}

/** The same for small pages, in which axe may find nothing at all. */
export function assertFlawlessInEveryLook(page: Page, what: string): Promise<void> {
  return inEveryLook(page, async (look, rules) => {
    assert.deepEqual(await axeViolations(page, { rules }), [], `${what}, ${look}`);
    assert.equal(await isTooWide(page), false, `${what}, ${look}, scrolls sideways`);
  });
}

async function inEveryLook(page: Page, check: (look: string, rules?: readonly string[]) => Promise<void>) {
  const before = page.viewportSize();
  assert.ok(before);
  await check("as it is");
  for (const { name, options } of LOOKS.slice(1)) {
    await changeLook(page, { colorScheme: options.colorScheme ?? "light", viewport: options.viewport ?? before });
    await check(name, isLongRun ? undefined : COLOR_AND_WIDTH_RULES);
  }
  await changeLook(page, { colorScheme: "light", viewport: before });
}

type Changes = Required<Pick<BrowserContextOptions, "colorScheme">> & { viewport: { width: number; height: number } };

export async function changeLook(page: Page, { colorScheme, viewport }: Changes): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(viewport);
  // Otherwise colours could be measured halfway.
  await page.evaluate(() => {
    for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();
  });
}

declare global {
  interface Window {
    axe: typeof import("axe-core");
  }
}
