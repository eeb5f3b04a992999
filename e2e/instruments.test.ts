import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { DeviceKeys, MadeDeviceKey } from "@backplane/contract/devices";
import {
  connectToldDevice,
  findKind,
  type RunningSimulator,
  startSimulator,
  type ToldDevice,
} from "@backplane/simulators";
import type { Browser, Locator } from "playwright-core";
import { freePort } from "../scripts/services/index.ts";
import { someOf } from "../scripts/testing/long.ts";
import { batteryCharger } from "./instruments/battery-charger.ts";
import { benchOf } from "./instruments/bench.ts";
import { chipData } from "./instruments/chip-data.ts";
import { chipStatistics } from "./instruments/chip-statistics.ts";
import { drone } from "./instruments/drone.ts";
import { gpio } from "./instruments/gpio.ts";
import { imu } from "./instruments/imu.ts";
import type {
  Instrument,
  InstrumentBench,
  Shown,
  SimulatedInstrument,
  ToldInstrument,
} from "./instruments/instrument.ts";
import { led } from "./instruments/led.ts";
import { lights } from "./instruments/lights.ts";
import { lineFollower } from "./instruments/line-follower.ts";
import { motor } from "./instruments/motor.ts";
import { ovenData } from "./instruments/oven-data.ts";
import { servo } from "./instruments/servo.ts";
import { speedController } from "./instruments/speed-controller.ts";
import { timeOfFlight } from "./instruments/time-of-flight.ts";
import { ultraWideband } from "./instruments/ultra-wideband.ts";
import { ultrasonic } from "./instruments/ultrasonic.ts";
import { workcellPower } from "./instruments/workcell-power.ts";
import { slotOf } from "./panels/bench.ts";
import { openBrowser, type Visit } from "./support/browser.ts";
import { assertLooksRightInEveryLook } from "./support/looks.ts";
import { keepPicture } from "./support/pictures.ts";
import { OWNER } from "./support/platform.ts";
import { until } from "./support/processes.ts";
import {
  type Driver,
  driverOf,
  openPage,
  showWorkspace,
  startWorkspaces,
  type Workspaces,
} from "./support/workspaces.ts";

/** One row per panel; each row is a file of its own. All of them in a long run. */
const INSTRUMENTS: readonly Instrument[] = someOf<Instrument>(
  [
    ...[motor, led, lights, servo, gpio, workcellPower, speedController, batteryCharger, drone],
    ...[imu, timeOfFlight, ultrasonic, lineFollower, ultraWideband, ovenData, chipStatistics, chipData],
  ],
  3,
);
const TOLD = INSTRUMENTS.filter((instrument) => instrument.samples !== undefined);

const REPO = "instruments";
/** One device that has everything that the panels of `TOLD` show. */
const TOLD_DEVICE = "told";

let browser: Browser;
let workspaces: Workspaces;
let seen: Visit;
let driver: Driver;

before(async () => {
  browser = await openBrowser();
  workspaces = await startWorkspaces("one instance, embedded", { MQTT_PORT: String(await freePort()) });
  driver = driverOf(workspaces, workspaces.pages, REPO);
  seen = await openPage(browser, workspaces, REPO);
});
after(async () => {
  await seen?.[Symbol.asyncDispose]();
  await browser?.close();
  await workspaces?.[Symbol.asyncDispose]();
});

async function call<Answer>(rest: string, method = "GET", body?: unknown): Promise<Answer> {
  const path = `/api/workspaces/editor/${OWNER.name}/${REPO}/current${rest}`;
  const answer = await workspaces.owner.call(workspaces.pages, path, {
    method,
    ...(body === undefined ? {} : { body }),
  });
  assert.ok(answer.ok, await answer.clone().text());
  return (await answer.json().catch(() => undefined)) as Answer;
}

/** A key of its own for a device, and where it connects. */
async function keyFor(id: string): Promise<{ url: string; key: string; id: string }> {
  const { key } = await call<MadeDeviceKey>("/devices/keys", "POST", { name: id, device: id });
  const { address } = await call<DeviceKeys>("/devices/keys");
  assert.ok(address);
  return { url: address, key, id };
}

/** Opens the panel in the one page that all of them share. */
async function open({ panel, state }: Instrument, device: string): Promise<Shown & { tabId: string }> {
  const { page } = seen;
  // A test before may have left the page.
  if (!page.url().endsWith(`/w/${OWNER.name}/${REPO}`)) await showWorkspace(seen, workspaces, REPO);
  // A tab does not come to the front while somebody types in another one.
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  const { tabId } = await driver.open(panel, { initialState: { device, ...state } });
  return { page, slot: slotOf(page, tabId), tabId };
}

/** Only the panel: the page around it is the same for all, and other tests look at it. */
async function assertPanelLooksRight(panel: string, tabId: string): Promise<void> {
  const part = `.slot[data-tab="${tabId}"]`;
  await keepPicture(seen.page, part, panel);
  await assertLooksRightInEveryLook(seen.page, panel, part);
  assert.deepEqual(seen.complaints, []);
}

/** The device of all rows with samples, from the first of them on. */
let toldDevice: Promise<ToldDevice> | undefined;
let toldSinceMs: number;
async function connectTold(): Promise<ToldDevice> {
  toldSinceMs = Date.now();
  const nodes = Object.fromEntries(
    TOLD.map(({ simulator }) => [simulator, Object.values(findKind(simulator)?.nodes ?? {})[0]]),
  ) as Parameters<typeof connectToldDevice>[0]["nodes"];
  return connectToldDevice({ ...(await keyFor(TOLD_DEVICE)), nodes });
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
  let bench: InstrumentBench;
  before(async () => {
    simulator = startSimulator({ ...(await keyFor(panel)), kind: instrument.simulator, name: panel });
    await simulator.ready;
    const shown = await open(instrument, panel);
    const { slot } = shown;
    await (opened ? slot.getByText(opened) : slot.getByRole("button", { name: `${panel}, ready` })).waitFor();
    tabId = shown.tabId;
    bench = benchOf(shown, simulator);
  });
  after(async () => {
    await driver.call("DELETE", `${driver.current}/tabs`, { tabId });
    await simulator?.close({ forget: true });
  });

  test("it shows what the device measures", () => shows(bench));
  if (commands)
    test("a command reaches the device, and is shown as reached when the device says so", () => commands(bench));
  for (const [sentence, check] of Object.entries(more)) test(sentence, () => check(bench));
  if (refuses) {
    test("what is out of limits is refused, with the field and the limit", async () => {
      const { capability, field, limits } = refuses;
      const settings = (narrowed: object) => call(`/devices/${panel}/settings`, "PUT", { limits: narrowed });
      await settings({ [capability]: { [field]: limits } });
      await refuses.act(bench);
      const words = `${field} must be at least ${limits[0]} and at most ${limits[1]}`;
      await bench.slot.locator(".command-row", { hasText: words }).waitFor();
      await bench.release();
      await settings({});
    });
  }
  test("it looks right, light and dark, wide and narrow", () => assertPanelLooksRight(panel, tabId));
  if (moves) {
    test("leaving the page stops what moves", async () => {
      await moves.start(bench);
      await until(() => moves.isMoving(simulator), "it moves");
      // Of the same site: a blank page would need a new renderer.
      await seen.page.goto(`${workspaces.pages}/health`);
      const last = () => simulator.witnessed().findLast(({ what }) => what === "command")?.name;
      await until(() => last() === moves.stop, "it was told to stop");
      await bench.release();
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
  await call("/recordings", "POST", { keep: true, lastMs: Date.now() - toldSinceMs });
  (await toldDevice)?.pullPlug();
  assert.equal(openTold.length, TOLD.length);
  for (const shown of openTold) {
    await toFront(shown);
    await shown.slot.getByText(/^lost at/).waitFor();
    await shown.instrument.shows(shown);
  }
});

/** As if somebody had dragged it there: `fill` sets the value in a way that React does not notice. */
const seek = (time: Locator, toMs: number): Promise<void> =>
  time.evaluate((input, value) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(input, value);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }, String(toMs));

test("what was recorded is replayed with the same numbers in every panel", async () => {
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
  assert.deepEqual(seen.complaints, []);
});
