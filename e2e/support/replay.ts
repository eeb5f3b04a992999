import type { Locator } from "playwright-core";

/** As if somebody had dragged it there: `fill` sets the value in a way that React does not notice. */
export const seek = (time: Locator, toMs: number): Promise<void> =>
  time.evaluate((input, value) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(input, value);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }, String(toMs));
