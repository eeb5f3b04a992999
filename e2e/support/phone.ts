import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { isTooWide } from "./narrow.ts";

const PHONE = { width: 390, height: 844 };
/** The same as --touch in tokens.css. */
const FINGER_PX = 44;

/** What is pressed. A link or a button inside a sentence is as high as its line (WCAG 2.2, 2.5.8). */
const CONTROLS = [
  ...["button:not(.link)", "select", "summary", ".input", ".check"],
  ...["a.btn", "a.badge", "nav a", "header a", ".alone-home", "[role=switch]", "[role=menuitem]"],
].join();

/** Until it is disposed of, the window is as narrow as a phone and its pointer is a finger. */
export async function asPhone(page: Page): Promise<AsyncDisposable> {
  const before = page.viewportSize() ?? assert.fail("the window has no fixed size");
  const session = await page.context().newCDPSession(page);
  const touch = (enabled: boolean) => session.send("Emulation.setTouchEmulationEnabled", { enabled });
  await touch(true);
  await page.setViewportSize(PHONE);
  return {
    async [Symbol.asyncDispose]() {
      await touch(false);
      await session.detach();
      await page.setViewportSize(before);
    },
  };
}

/** Nothing scrolls sideways, everything to press is large enough for a finger, and choices have our arrow. */
export async function assertFits(page: Page, what: string, part = "body"): Promise<void> {
  assert.equal(await isTooWide(page), false, `${what} scrolls sideways on a phone`);
  assert.deepEqual(await misfits(page, part), [], `${what} on a phone`);
}

/** The same for a window that is not a phone's. Afterwards it is as before. */
export async function assertFitsPhone(page: Page, what: string, part?: string): Promise<void> {
  await using _phone = await asPhone(page);
  await assertFits(page, what, part);
}

const misfits = (page: Page, part: string): Promise<string[]> =>
  page.evaluate(
    ([selector, least]) => {
      const small = [...document.querySelectorAll<HTMLElement>(selector)].flatMap((element) => {
        if (!element.checkVisibility({ visibilityProperty: true })) return [];
        const { width, height } = element.getBoundingClientRect();
        if (Math.round(width) >= least && Math.round(height) >= least) return [];
        return [`${element.outerHTML.slice(0, 120)}: ${Math.round(width)} × ${Math.round(height)} px`];
      });
      const bare = [...document.querySelectorAll("select")].filter(({ parentElement }) => {
        return parentElement?.className !== "select-wrap";
      });
      return [...small, ...bare.map((select) => `${select.outerHTML.slice(0, 120)}: has the arrow of the system`)];
    },
    [`${part} :is(${CONTROLS})`, FINGER_PX] as const,
  );
