import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Result, RunOptions } from "axe-core";
import type { BrowserContextOptions, Frame, Page } from "playwright-core";
import { isLongRun } from "../../scripts/testing/long.ts";
import { isTooWide, NARROW } from "./narrow.ts";
import { assertFitsPhone } from "./phone.ts";

export type Look = { name: string; options: BrowserContextOptions };

/** Combinations of colour scheme and width that every page must support. */
export const LOOKS: readonly Look[] = [
  { name: "light", options: { colorScheme: "light" } },
  { name: "dark and narrow", options: { ...NARROW, colorScheme: "dark" } },
  ...inLongRun(
    { name: "dark", options: { colorScheme: "dark" } },
    { name: "on a phone", options: { viewport: { width: 390, height: 844 }, hasTouch: true } },
  ),
];

function inLongRun(...looks: Look[]): Look[] {
  return isLongRun ? looks : [];
}

/** The axe rules whose result depends on colours or width. */
const COLOR_AND_WIDTH_RULES: readonly string[] = [
  "color-contrast",
  "link-in-text-block",
  "scrollable-region-focusable",
];

type Part = {
  /** A selector; default: the whole page. */
  part?: string | undefined;
  /** Default: all rules. */
  rules?: readonly string[] | undefined;
};

const AXE = readFileSync(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/**
 * All axe violations in the page or frame, but not in the frames inside, which show other sites. AxeBuilder would take a third more CPU
 * time, and twice as much outside legacy mode.
 */
export async function axeViolations(page: Page | Frame, { part, rules }: Part = {}): Promise<Result[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  // A frame without a network cannot load its style sheets again, for the one rule that reads them.
  const preload = !("parentFrame" in page);
  const options: RunOptions = { resultTypes: ["violations"], iframes: false, preload };
  if (rules !== undefined) options.runOnly = [...rules];
  return page.evaluate(async ([where, how]) => (await window.axe.run(where ?? document, how)).violations, [
    part,
    options,
  ] as const);
}

/** No serious or critical axe violations, and no horizontal scrolling. */
export async function assertLooksRight(
  page: Page,
  what: string,
  part?: string,
  rules?: readonly string[],
): Promise<void> {
  const violations = await axeViolations(page, { part, rules });
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  const found = serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  assert.deepEqual(found, [], what);
  assert.equal(await isTooWide(page), false, `${what} scrolls horizontally`);
}

/**
 * `assertLooksRight` in every look without reloading the page: all rules once, then for dark and narrow only the rules
 * that depend on them, and whether it fits a phone. Afterwards the page is light and has its old width.
 */
export async function assertLooksRightInEveryLook(page: Page, what: string, part?: string): Promise<void> {
  await inEveryLook(
    page,
    (look, rules) => assertLooksRight(page, `${what}, ${look}`, part, rules),
    () => assertFitsPhone(page, what, part),
  );
}

/** The same, but no axe violation of any impact is allowed. */
export async function assertFlawlessInEveryLook(page: Page, what: string): Promise<void> {
  await inEveryLook(
    page,
    async (look, rules) => {
      assert.deepEqual(await axeViolations(page, { rules }), [], `${what}, ${look}`);
      assert.equal(await isTooWide(page), false, `${what}, ${look}, scrolls horizontally`);
    },
    () => assertFitsPhone(page, what),
  );
}

/** `checkPhone` before the window is wide again: every change of the width costs a layout. */
async function inEveryLook(
  page: Page,
  check: (look: string, rules?: readonly string[]) => Promise<void>,
  checkPhone: () => Promise<void>,
) {
  const before = page.viewportSize();
  assert.ok(before);
  await check("as it is");
  try {
    for (const { name, options } of LOOKS.slice(1)) {
      await changeLook(page, { colorScheme: options.colorScheme ?? "light", viewport: options.viewport ?? before });
      await check(name, isLongRun ? undefined : COLOR_AND_WIDTH_RULES);
    }
    await checkPhone();
  } finally {
    // What does not fit must not hide what later tests look for.
    await changeLook(page, { colorScheme: "light", viewport: before });
  }
}

type Changes = Required<Pick<BrowserContextOptions, "colorScheme">> & { viewport: { width: number; height: number } };

export async function changeLook(page: Page, { colorScheme, viewport }: Changes): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(viewport);
  // Finish transitions, or axe could measure a colour in between.
  await page.evaluate(() => {
    for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();
  });
}

declare global {
  interface Window {
    axe: typeof import("axe-core");
  }
}
