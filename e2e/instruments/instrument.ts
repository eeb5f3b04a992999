import type { JsonObject } from "@backplane/contract/panels";
import type { RunningSimulator } from "@backplane/simulators";
import type { Locator, Page } from "playwright-core";

/** A panel on the page. */
export type Shown = { page: Page; slot: Locator };

/** A panel, and the simulated device that it shows. */
export type InstrumentBench = Shown & {
  simulator: RunningSimulator;
  /** The last commands of this name that the device was given, the newest last. */
  told(name: string): JsonObject[];
  /** Takes control and arms, and again when it has ended meanwhile. */
  arm(): Promise<void>;
  /** Presses and holds a button until this is true; it is armed before. The button stays held. */
  holdUntil(button: Locator, isThere: () => boolean | Promise<boolean>, what: string): Promise<void>;
  release(): Promise<void>;
};

type Check<Bench = InstrumentBench> = (bench: Bench) => Promise<void>;

type Row<Bench> = {
  panel: string;
  /** The simulator that has what the panel shows. */
  simulator: string;
  /** The state of its tab in the tests, besides the device. */
  state?: JsonObject;
  /** It shows what the device measures, read from the page. */
  shows: Check<Bench>;
  /** What no other panel has, by keyboard where there is no gesture. */
  more?: Record<string, Check<Bench>>;
  /** For the picture of the guides, which shows the simulator at work. */
  picture?: {
    /** When it was opened, for what takes its time. */
    begin?: Check;
    /** Until its plots are filled; 15 s, if it does not say. */
    filledS?: number;
    /** Right before. */
    act?: Check;
  };
};

/** Its device measures what it is told, in this order, and nothing else. It shows the same when the device is lost, and in a replay. */
export type ToldInstrument = Row<Shown> & { samples: readonly JsonObject[] };

/** Its device is the simulator: it measures by its physics, and obeys. */
export type SimulatedInstrument = Row<InstrumentBench> & {
  samples?: undefined;
  /** The panel is there when these words are, instead of the name of its device. */
  opened?: RegExp;
  /** A command reaches the simulator, and is shown as reached only when the simulator says so. */
  commands?: Check;
  /** With this limit of the workspace, what `act` asks for is refused, and the page names the field and the limit. */
  refuses?: { capability: string; field: string; limits: [number, number]; act: Check };
  /** Something moves; leaving the page stops it. */
  moves?: { start: Check; isMoving(simulator: RunningSimulator): boolean; stop: string };
};

/** One row of the table: a panel and its device, and what is true of them. */
export type Instrument = ToldInstrument | SimulatedInstrument;

/** The value of a tile, or of a row of values. */
export const reading = (slot: Locator, name: string): Locator => slot.locator(`[data-reading="${name}"] dd`).first();
