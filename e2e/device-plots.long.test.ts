import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ToldDevice } from "@backplane/simulators";
import type { Browser, Locator, Page } from "playwright-core";
import { freePort } from "../scripts/services/index.ts";
import { slotOf } from "./panels/bench.ts";
import { openBrowser, type Visit } from "./support/browser.ts";
import { startLoadBalancer } from "./support/load-balancer.ts";
import { assertLooksRightInEveryLook } from "./support/looks.ts";
import { until } from "./support/processes.ts";
import { connectTold, toldNode } from "./support/told-device.ts";
import { driverOf, openPage, showWorkspace, startWorkspaces, type Workspaces } from "./support/workspaces.ts";

const REPO = "plots";
const NODES = {
  machine: toldNode("temperature", { motor_c: "°C", gearbox_c: "°C" }),
  air: toldNode("pressure-temperature", { pressure_pa: "Pa", temperature_c: "°C", humidity_pct: "%" }),
  supply: toldNode("power", { voltage_v: "V", current_a: "A", count: "" }),
};

let browser: Browser;
let workspaces: Workspaces;
let seen: Visit;
let page: Page;
let device: ToldDevice;
let line: Awaited<ReturnType<typeof startLoadBalancer>>;

before(async () => {
  browser = await openBrowser();
  const port = await freePort();
  line = await startLoadBalancer([port]);
  const pages = line.url.replace("127.0.0.1", "localhost");
  const env = { MQTT_PORT: String(await freePort()), PLATFORM_PORT: String(port), BASE_URL: pages };
  workspaces = { ...(await startWorkspaces("one instance, embedded", env)), pages };
  seen = await openPage(browser, workspaces, REPO);
  page = seen.page;
  device = await connectTold(workspaces, REPO, "cell", NODES);
});
after(async () => {
  await device?.[Symbol.asyncDispose]();
  await seen?.[Symbol.asyncDispose]();
  await browser?.close();
  await line?.[Symbol.asyncDispose]();
  await workspaces?.[Symbol.asyncDispose]();
});

async function show(kind: string, state: object = {}): Promise<Locator> {
  // A tab does not come to the front while somebody types in another one.
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  const driver = driverOf(workspaces, workspaces.pages, REPO);
  const { tabId } = await driver.open(kind, { initialState: { device: "cell", ...state } });
  const slot = slotOf(page, tabId);
  await slot.locator(".plot").waitFor();
  return slot;
}

/** The rows of what the panel saves, without the head. */
async function savedRows(slot: Locator): Promise<string[][]> {
  const download = page.waitForEvent("download");
  await slot.getByRole("button", { name: "Save what is seen as CSV" }).click();
  const text = await readFile(await (await download).path(), "utf8");
  return text
    .trim()
    .split("\r\n")
    .slice(1)
    .map((line) => line.split(","));
}

suite("panels that plot a device", { concurrency: 1 }, () => {
  test("the temperature graph shows what the device was told, and what is over its limit", async () => {
    const slot = await show("temperature-graph", { limits: { motor_c: 60 } });
    await device.tell("machine", { motor_c: 59.5, gearbox_c: -12.25 });
    await device.tell("machine", { motor_c: 61.75, gearbox_c: -12.25 });
    const row = (name: string) => slot.locator(`tr[data-series=${name}]`);
    await row("motor_c").getByText("61.75 °C").waitFor();
    await row("motor_c").getByText("High", { exact: true }).waitFor();
    await row("gearbox_c").getByText("−12.25 °C").waitFor();
    await row("gearbox_c").getByText("No limit").waitFor();
    const limit = row("gearbox_c").getByRole("button", { name: "Set the high limit of Gearbox" });
    const handle = slot.locator(".plot-limit");
    await handle.hover();
    await page.mouse.down();
    await page.mouse.move(0, 0, { steps: 4 });
    await page.mouse.up();
    await row("motor_c").getByText("In limits").waitFor();
    await limit.press("Enter");
    await slot.getByLabel("High limit of Gearbox", { exact: true }).fill("-20");
    await page.keyboard.press("Enter");
    await row("gearbox_c").getByText("High", { exact: true }).waitFor();
    await slot.getByRole("button", { name: "Show other devices, too" }).press("Enter");
    await page.getByRole("menuitem", { name: /cell/ }).press("Enter");
    await device.tell("air", { pressure_pa: 99_000, temperature_c: 17.5, humidity_pct: 100 });
    await row("'cell/air/temperature_c'").getByText("17.5 °C").waitFor();
    await assertLooksRightInEveryLook(page, "the temperature graph");
  });

  test("pressure and temperature shows what follows from what is measured", async () => {
    const slot = await show("pressure-temperature", { altitudeM: 0 });
    await device.tell("air", { pressure_pa: 98_770, temperature_c: 21.5, humidity_pct: 100 });
    const reads = slot.locator("dl");
    await reads.getByText("987.7hPa").waitFor();
    assert.match(await reads.innerText(), /21\.5\s*°C[\s\S]*humidity 100 %[\s\S]*21\.5\s*°C/);
    await slot.getByLabel("Altitude").fill("412");
    await page.keyboard.press("Enter");
    await reads.getByText("1037.4hPa").waitFor();
    await assertLooksRightInEveryLook(page, "pressure and temperature");
  });

  test("the sensor monitor shows fields and formulas, by keyboard alone", async () => {
    const slot = await show("sensor-monitor", { capability: "supply", fields: ["voltage_v"] });
    for (let i = 0; i < 3; i += 1) await device.tell("supply", { voltage_v: 24, current_a: 2.5 + i, count: i });
    const chip = (entry: string) => slot.locator(`[data-series="${entry}"]`);
    await chip("voltage_v").getByText("24", { exact: true }).waitFor();
    await slot.getByRole("button", { name: "Add a field" }).press("Enter");
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await slot.getByLabel("Formula").fill("= voltage_v * amperes");
    await page.keyboard.press("Enter");
    await slot.getByText('"amperes" is not measured').waitFor();
    await slot.getByLabel("Formula").fill("= voltage_v * current_a");
    await page.keyboard.press("Enter");
    await chip("= voltage_v * current_a").getByText("108", { exact: true }).waitFor();
    await slot.getByText("= voltage_v * current_a in W").waitFor();
    await slot.getByRole("button", { name: "Add a field" }).press("Enter");
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await slot.getByLabel("Formula").fill("= current_a * machine.motor_c");
    await page.keyboard.press("Enter");
    await chip("= current_a * machine.motor_c").getByText("277.875", { exact: true }).waitFor();
    await slot.getByRole("button", { name: "Remove = current_a * machine.motor_c" }).press("Enter");

    const plot = slot.getByRole("group", { name: /voltage_v/ });
    await plot.focus();
    await page.keyboard.press("ArrowLeft");
    await slot
      .getByRole("status")
      .getByText(/: voltage_v 24 V, = voltage_v \* current_a \d+\.?\d* W/)
      .waitFor();
    await page.keyboard.press(" ");
    await slot.getByRole("button", { name: "Go on" }).waitFor();
    await page.keyboard.press("1");
    await slot.getByRole("button", { name: /^voltage_v/, pressed: false }).waitFor();
    await page.keyboard.press("+");
    await until(async () => {
      const tabs = await driverOf(workspaces, workspaces.pages, REPO).tabs();
      return tabs.some(({ panelState }) => Array.isArray(panelState.zoom));
    }, "the zoom is part of the tab");
    await page.keyboard.press("0");
    await slot.getByRole("button", { name: "Pause" }).waitFor();
    for (const view of ["XY", "FFT", "Time"]) await slot.getByRole("button", { name: view, exact: true }).click();
    await assertLooksRightInEveryLook(page, "the sensor monitor");
    assert.deepEqual(seen.complaints, []);
  });

  test("a page that was offline has every sample, once", async () => {
    const slot = await show("sensor-monitor", { capability: "supply", fields: ["count"], windowS: 600 });
    let next = 1_000;
    const tell = async (count: number) => {
      for (let i = 0; i < count; i += 1) {
        await device.tell("supply", { voltage_v: 0, current_a: 0, count: next });
        next += 1;
        await sleep(2);
      }
    };
    const counted = async () =>
      (await savedRows(slot)).map(([, count]) => Number(count)).filter((each) => each >= 1_000);
    await tell(20);
    await until(async () => (await counted()).length === 20, "the first samples");
    line.cut();
    await slot.getByText("no connection").waitFor();
    await tell(40);
    line.mend();
    await until(async () => (await slot.getByText("no connection").count()) === 0, "a new connection");
    await tell(20);
    await until(async () => (await counted()).at(-1) === next - 1, "the last sample");
    assert.deepEqual(
      await counted(),
      Array.from({ length: 80 }, (_, i) => 1_000 + i),
    );
  });

  test("a device whose plug is pulled is lost; its last value stays", async () => {
    const slot = await show("temperature-graph");
    const value = slot.getByRole("cell", { name: "61.75 °C" });
    await value.waitFor();
    device.pullPlug();
    await slot.getByText("Lost", { exact: true }).first().waitFor();
    assert.equal(await value.count(), 1);
    assert.deepEqual(
      seen.complaints.filter((each) => !/ERR_EMPTY_RESPONSE|ERR_CONNECTION|WebSocket|Failed to load/.test(each)),
      [],
    );
  });

  test("a panel without a device starts a simulator and plots it", async () => {
    await showWorkspace(seen, workspaces, "empty");
    const { tabId } = await driverOf(workspaces, workspaces.pages, "empty").open("temperature-graph");
    const slot = slotOf(page, tabId);
    await slot.getByRole("button", { name: "Start a simulator" }).press("Enter");
    await page.getByRole("menuitem", { name: /Thermometers/ }).press("Enter");
    const room = slot.locator("tr[data-series=room_c] td").first();
    await until(async () => /^2[12]\.\d\d °C$/.test(await room.innerText()), "the temperature of the room");
    await slot.getByRole("group", { name: /^Temperatures of/ }).waitFor();
  });
});
