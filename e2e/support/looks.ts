import assert from "node:assert/strict";
import { AxeBuilder } from "@axe-core/playwright";
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
export function inLongRun(...looks: Look[]): Look[] {
  return isLongRun ? looks : [];
}

/** What axe finds serious or critical, in all of it or in a part, and whether anything has to be scrolled sideways. */
export async function assertLooksRight(page: Page, what: string, part?: string): Promise<void> {
  // Without a second window for what frames say: our pages have none, and it takes half of the time.
  const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ["violations"] });
  const { violations } = await (part === undefined ? axe : axe.include(part)).analyze();
  const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  const told = grave.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  assert.deepEqual(told, [], what);
  assert.equal(await isTooWide(page), false, `${what} scrolls sideways`);
}
