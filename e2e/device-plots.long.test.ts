import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { ToldDevice } from "@backplane/simulators";
import type { Browser, Locator, Page } from "playwright-core";
import { freePort } from "../scripts/services/index.ts";
import { slotOf } from "./panels/bench.ts";
import { openBrowser, type Visit } from "./support/browser.ts";
import { assertLooksRightInEveryLook } from "./support/looks.ts";
import { until } from "./support/processes.ts";
import { connectTold, nodeOf } from "./support/told-device.ts";
import { driverOf, openPage, showWorkspace, startWorkspaces, type Workspaces } from "./support/workspaces.ts";

const REPO = "plots";
const NODES = {
  machine: nodeOf("temperature", { motor_c: "°C", gearbox_c: "°C" }),
  air: nodeOf("pressure-temperature", { pressure_pa: "Pa", temperature_c: "°C", humidity_pct: "%" }),
  supply: nodeOf("power", { voltage_v: "V", current_a: "A", count: "" }),
};

let browser: Browser;
let workspaces: Workspaces;
let seen: Visit;
let page: Page;
let device: ToldDevice;

before(async () => {
  browser = await openBrowser();
  workspaces = await startWorkspaces("one instance, embedded", { MQTT_PORT: String(await freePort()) });
  seen = await openPage(browser, workspaces, REPO);
  page = seen.page;
  device = await connectTold(workspaces, REPO, "cell", NODES);
});
after(async () => {
  await device?.[Symbol.asyncDispose]();
  await seen?.[Symbol.asyncDispose]();
  await browser?.close();
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

  test("a device whose plug is pulled is lost; its last value stays", async () => {
    const slot = await show("temperature-graph");
    const value = slot.getByRole("cell", { name: "61.75 °C" });
    await value.waitFor();
    device.pullPlug();
    await slot.getByText("Lost", { exact: true }).first().waitFor();
    assert.equal(await value.count(), 1);
    assert.deepEqual(seen.complaints, []);
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
