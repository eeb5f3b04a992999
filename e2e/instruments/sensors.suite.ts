import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { DeviceKeys, MadeDeviceKey } from "@backplane/contract/devices";
import { connectToldDevice, findKind, type ToldDevice } from "@backplane/simulators";
import type { Locator } from "playwright-core";
import { slotOf } from "../panels/bench.ts";
import type { Visit } from "../support/browser.ts";
import { assertLooksRightInEveryLook } from "../support/looks.ts";
import { OWNER } from "../support/platform.ts";
import { driverOf, showWorkspace, type Workspaces } from "../support/workspaces.ts";
import { chipStatistics } from "./chip-statistics.ts";
import { imu } from "./imu.ts";
import { lineFollower } from "./line-follower.ts";
import { ovenData } from "./oven-data.ts";
import type { Sensor } from "./sensor.ts";
import { timeOfFlight } from "./time-of-flight.ts";
import { ultraWideband } from "./ultra-wideband.ts";
import { ultrasonic } from "./ultrasonic.ts";

/** One row per panel; each row is a file of its own. */
const SENSORS: readonly Sensor[] = [
  imu,
  timeOfFlight,
  ultrasonic,
  lineFollower,
  ultraWideband,
  ovenData,
  chipStatistics,
];

const REPO = "sensors";
const DEVICE = "unit";

/** As if somebody had dragged it there: `fill` sets the value in a way that React does not notice. */
const seek = (time: Locator, toMs: number): Promise<void> =>
  time.evaluate((input, value) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(input, value);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }, String(toMs));

/** One device with a capability per row: it measures what it is told, so the panels must show exactly that. */
export function sensorPanels(opened: () => { workspaces: Workspaces; seen: Visit }): void {
  suite("panels that look at a device", { concurrency: 1 }, () => {
    let device: ToldDevice;
    const tabs = new Map<Sensor, string>();
    /** When it was seen that a panel shows what its device was told. */
    const shownAtMs = new Map<Sensor, number>();

    async function call<Answer>(rest: string, method = "GET", body?: unknown): Promise<Answer> {
      const { owner, pages } = opened().workspaces;
      const path = `/api/workspaces/editor/${OWNER.name}/${REPO}/current${rest}`;
      const answer = await owner.call(pages, path, { method, ...(body === undefined ? {} : { body }) });
      assert.ok(answer.ok, await answer.clone().text());
      return (await answer.json().catch(() => undefined)) as Answer;
    }

    /** Brings the panel of a row to the front. */
    async function show(sensor: Sensor) {
      const { page } = opened().seen;
      const tabId = tabs.get(sensor) ?? "";
      await page.locator(`[data-tab="${tabId}"] [role=tab]`).click();
      return slotOf(page, tabId);
    }

    before(async () => {
      const { workspaces, seen } = opened();
      await showWorkspace(seen, workspaces, REPO);
      const nodes = Object.fromEntries(
        SENSORS.map(({ simulator }) => [simulator, Object.values(findKind(simulator)?.nodes ?? {})[0]]),
      ) as Parameters<typeof connectToldDevice>[0]["nodes"];
      const { key } = await call<MadeDeviceKey>("/devices/keys", "POST", { name: DEVICE, device: DEVICE });
      const { address } = await call<DeviceKeys>("/devices/keys");
      assert.ok(address);
      device = await connectToldDevice({ url: address, key, id: DEVICE, nodes });
    });
    after(() => device?.[Symbol.asyncDispose]());

    for (const sensor of SENSORS) {
      test(`${sensor.panel} shows what its device was told`, async () => {
        const { workspaces, seen } = opened();
        const { page } = seen;
        // A tab does not come to the front while somebody types in another one.
        await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
        const driver = driverOf(workspaces, workspaces.pages, REPO);
        const { tabId } = await driver.open(sensor.panel, { initialState: { device: DEVICE, ...sensor.state } });
        tabs.set(sensor, tabId);
        const slot = slotOf(page, tabId);
        for (const sample of sensor.samples) await device.tell(sensor.simulator, sample);
        await sensor.shows(slot);
        shownAtMs.set(sensor, Date.now() + 1_000);
        await sensor.uses?.({ page, slot });
        await assertLooksRightInEveryLook(page, sensor.panel, `.slot[data-tab="${tabId}"]`);
        assert.deepEqual(seen.complaints, []);
      });
    }

    test("a device whose plug is pulled is lost in every panel; the last values stay", async () => {
      await call("/recordings", "POST", { keep: true });
      device.pullPlug();
      for (const sensor of SENSORS) {
        const slot = await show(sensor);
        await slot.getByText(/^lost at/).waitFor();
        await sensor.shows(slot);
      }
    });

    test("what was recorded is replayed with the same numbers in every panel", async () => {
      const { workspaces, seen } = opened();
      const { page } = seen;
      await page.goto(`${workspaces.pages}/w/${OWNER.name}/${REPO}/recordings`);
      await page.getByRole("link", { name: "Replay" }).click();
      const time = page.getByRole("slider", { name: "Time" });
      for (const sensor of SENSORS) {
        const slot = await show(sensor);
        await slot.getByText("recorded", { exact: true }).waitFor();
        await seek(time, shownAtMs.get(sensor) ?? 0);
        await sensor.shows(slot);
      }
      assert.deepEqual(seen.complaints, []);
    });
  });
}
