import type { JsonObject } from "@backplane/contract/panels";
import type { RunningSimulator } from "@backplane/simulators";
import type { Locator, Page } from "playwright-core";

/** What the checks of one panel get: the panel, and the simulated device that it shows. */
export type InstrumentBench = {
  page: Page;
  slot: Locator;
  simulator: RunningSimulator;
  /** The last commands of this name that the device was given, the newest last. */
  told(name: string): JsonObject[];
  /** Takes control and arms, and again when it has ended meanwhile. */
  arm(): Promise<void>;
  /** Presses and holds a button until this is true; it is armed before. The button stays held. */
  holdUntil(button: Locator, isThere: () => boolean | Promise<boolean>, what: string): Promise<void>;
  release(): Promise<void>;
};

type Check = (bench: InstrumentBench) => Promise<void>;

/** One row of the table: a panel and its simulator, and what is true of them. */
export type Instrument = {
  panel: string;
  simulator: string;
  /** The panel is there when these words are, instead of the name of its device. */
  opened?: RegExp;
  /** It shows what the simulator measures, read from the page. */
  shows: Check;
  /** A command reaches the simulator, and is shown as reached only when the simulator says so. */
  commands?: Check;
  /** With this limit of the workspace, what `act` asks for is refused, and the page names the field and the limit. */
  refuses?: { capability: string; field: string; limits: [number, number]; act: Check };
  /** Something moves; leaving the page stops it. */
  moves?: { start: Check; isMoving(simulator: RunningSimulator): boolean; stop: string };
  /** What no other panel has. */
  more?: Record<string, Check>;
};
