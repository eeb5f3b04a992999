import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import {
  connectToldDevice,
  findKind,
  type RunningSimulator,
  startSimulator,
  type ToldDevice,
} from "@backplane/simulators";
import { someOf } from "../scripts/testing/long.ts";
import { benchOf } from "./instruments/bench.ts";
import type {
  Instrument,
  InstrumentBench,
  Shown,
  SimulatedInstrument,
  ToldInstrument,
} from "./instruments/instrument.ts";
import { INSTRUMENTS as ALL } from "./instruments/table.ts";
import { type InstrumentPage, startInstrumentPage } from "./support/instrument-page.ts";
import { assertLooksRightInEveryLook } from "./support/looks.ts";
import { OWNER } from "./support/platform.ts";
import { until } from "./support/processes.ts";
import { seek } from "./support/replay.ts";

/** All of them in a long run. */
const INSTRUMENTS: readonly Instrument[] = someOf<Instrument>(ALL, 5);
const TOLD = INSTRUMENTS.filter((instrument) => instrument.samples !== undefined);

const REPO = "instruments";
/** One device that has everything that the panels of `TOLD` show. */
const TOLD_DEVICE = "told";

let bench: InstrumentPage;
before(async () => {
  bench = await startInstrumentPage(REPO);
});
after(() => bench?.[Symbol.asyncDispose]());

const open = ({ panel, state }: Instrument, device: string) => bench.open(panel, { device, ...state });

/** Only the panel: the page around it is the same for all, and other tests look at it. */
async function assertPanelLooksRight(panel: string, tabId: string): Promise<void> {
  const part = `.slot[data-tab="${tabId}"]`;
  await assertLooksRightInEveryLook(bench.seen.page, panel, part);
  assert.deepEqual(bench.seen.complaints, []);
}

/** The device of all rows with samples, from the first of them on. */
let toldDevice: Promise<ToldDevice> | undefined;
let toldSinceMs: number;
async function connectTold(): Promise<ToldDevice> {
  toldSinceMs = Date.now();
  const nodes = Object.fromEntries(
    TOLD.map(({ simulator }) => [simulator, Object.values(findKind(simulator)?.nodes ?? {})[0]]),
  ) as Parameters<typeof connectToldDevice>[0]["nodes"];
  return connectToldDevice({ ...(await bench.keyFor(TOLD_DEVICE)), nodes });
}
after(async () => (await toldDevice)?.[Symbol.asyncDispose]());

type OpenTold = Shown & { tabId: string; instrument: ToldInstrument; shownAtMs: number };
const openTold: OpenTold[] = [];

function testTold(instrument: ToldInstrument): void {
  const { panel, simulator, samples, shows, more = {} } = instrument;
  let shown: OpenTold;
  before(async () => {
    toldDevice ??= connectTold();
    const device = await toldDevice;
    shown = { ...(await open(instrument, TOLD_DEVICE)), instrument, shownAtMs: 0 };
    openTold.push(shown);
    for (const sample of samples) await device.tell(simulator, sample);
  });

  test("it shows what the device measures", async () => {
    await shows(shown);
    shown.shownAtMs = Date.now() + 1_000;
  });
  for (const [sentence, check] of Object.entries(more)) test(sentence, () => check(shown));
  test("it looks right, light and dark, wide and narrow", () => assertPanelLooksRight(panel, shown.tabId));
}

function testSimulated(instrument: SimulatedInstrument): void {
  const { panel, opened, shows, commands, more = {}, refuses, moves } = instrument;
  let simulator: RunningSimulator;
  let tabId: string;
  let controlled: InstrumentBench;
  before(async () => {
    simulator = startSimulator({ ...(await bench.keyFor(panel)), kind: instrument.simulator, name: panel });
    await simulator.ready;
    const shown = await open(instrument, panel);
    const { slot } = shown;
    await (opened ? slot.getByText(opened) : slot.getByRole("button", { name: `${panel}, ready` })).waitFor();
    tabId = shown.tabId;
    controlled = benchOf(shown, simulator);
  });
  after(async () => {
    await bench.driver.call("DELETE", `${bench.driver.current}/tabs`, { tabId });
    await simulator?.close({ forget: true });
  });

  test("it shows what the device measures", () => shows(controlled));
  if (commands)
    test("a command reaches the device, and is shown as reached when the device says so", () => commands(controlled));
  for (const [sentence, check] of Object.entries(more)) test(sentence, () => check(controlled));
  if (refuses) {
    test("what is out of limits is refused, with the field and the limit", async () => {
      const { capability, field, limits } = refuses;
      const settings = (narrowed: object) => bench.call(`/devices/${panel}/settings`, "PUT", { limits: narrowed });
      await settings({ [capability]: { [field]: limits } });
      await refuses.act(controlled);
      const words = `${field} must be at least ${limits[0]} and at most ${limits[1]}`;
      await controlled.slot.locator(".command-row", { hasText: words }).waitFor();
      await controlled.release();
      await settings({});
    });
  }
  test("it looks right, light and dark, wide and narrow", () => assertPanelLooksRight(panel, tabId));
  if (moves) {
    test("leaving the page stops what moves", async () => {
      await moves.start(controlled);
      await until(() => moves.isMoving(simulator), "it moves");
      // Of the same site: a blank page would need a new renderer.
      await bench.seen.page.goto(`${bench.workspaces.pages}/health`);
      const last = () => simulator.witnessed().findLast(({ what }) => what === "command")?.name;
      await until(() => last() === moves.stop, "it was told to stop");
      await controlled.release();
    });
  }
}

for (const instrument of INSTRUMENTS) {
  suite(`the panel ${instrument.panel}`, { concurrency: 1 }, () => {
    if (instrument.samples) testTold(instrument);
    else testSimulated(instrument);
  });
}

const toFront = ({ page, tabId }: OpenTold) => page.locator(`[data-tab="${tabId}"] [role=tab]`).click();

test("a device whose plug is pulled is lost in every panel; the last values stay", async () => {
  // More than it took: the hub counts back from when it gets to the request, which may be late.
  await bench.call("/recordings", "POST", { keep: true, lastMs: Date.now() - toldSinceMs + 60_000 });
  (await toldDevice)?.pullPlug();
  assert.equal(openTold.length, TOLD.length);
  for (const shown of openTold) {
    await toFront(shown);
    await shown.slot.getByText(/^lost at/).waitFor();
    await shown.instrument.shows(shown);
  }
});

test("what was recorded is replayed with the same numbers in every panel", async () => {
  const { seen, workspaces } = bench;
  const { page } = seen;
  await page.goto(`${workspaces.pages}/w/${OWNER.name}/${REPO}/recordings`);
  await page.getByRole("link", { name: "Replay" }).click();
  const time = page.getByRole("slider", { name: "Time" });
  for (const shown of openTold) {
    await toFront(shown);
    await shown.slot.getByText("recorded", { exact: true }).waitFor();
    await seek(time, shown.shownAtMs);
    await shown.instrument.shows(shown);
  }
  assert.deepEqual(bench.seen.complaints, []);
});
