import type { JsonObject } from "@backplane/contract/panels";
import type { Locator, Page } from "playwright-core";

/** One row of the table of panels that look at a device. */
export type Sensor = {
  panel: string;
  /** The simulator whose first capability the device has; it measures only what it is told. */
  simulator: string;
  /** The state of its tab, besides the device. */
  state?: JsonObject;
  /** What the device is told to measure, in this order. */
  samples: readonly JsonObject[];
  /** The panel shows what the device was told, read from the page. It is so again in a replay. */
  shows(slot: Locator): Promise<void>;
  /** What people do with it, by keyboard alone. */
  uses?(bench: { page: Page; slot: Locator }): Promise<void>;
};

/** The value of a tile, or of a row of values. */
export const reading = (slot: Locator, name: string): Locator => slot.locator(`[data-reading="${name}"] dd`).first();
