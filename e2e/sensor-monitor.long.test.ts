// The sensor monitor in the page, and the same code as a package that has nothing but @backplane/sdk/panel: one suite, two hosts.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { JsonObject } from "@backplane/contract/panels";
import type { ToldDevice } from "@backplane/simulators";
import type { Browser, Locator, Page } from "playwright-core";
import { freePort } from "../scripts/services/index.ts";
import { slotOf } from "./panels/bench.ts";
import { CLI, ROOT } from "./support/backplane.ts";
import { openBrowser, type Visit } from "./support/browser.ts";
import { startLoadBalancer } from "./support/load-balancer.ts";
import { assertLooksRightInEveryLook, axeViolations } from "./support/looks.ts";
import { clickInFrame } from "./support/mouse.ts";
import { allowPanel, frameOf, publishArchive } from "./support/panel-packages.ts";
import { keepPicture } from "./support/pictures.ts";
import { OWNER } from "./support/platform.ts";
import { until } from "./support/processes.ts";
import { connectTold, nodeOf } from "./support/told-device.ts";
import { driverOf, openPage, showWorkspace, startWorkspaces, type Workspaces } from "./support/workspaces.ts";

const IDENTIFIER = "com.example.sensor-monitor";
const NODES = {
  machine: nodeOf("temperature", { motor_c: "°C", gearbox_c: "°C" }),
  supply: nodeOf("power", { voltage_v: "V", current_a: "A", count: "" }),
};

type Host = {
  name: string;
  panelType: string;
  stateOf(own: JsonObject): JsonObject;
  ownOf(state: JsonObject): JsonObject;
  /** What the panel drew. */
  rootOf(slot: Locator): Locator;
  click(page: Page, target: Locator): Promise<void>;
};
const HOSTS: readonly Host[] = [
  {
    ...{ name: "in the page", panelType: "sensor-monitor" },
    stateOf: (own) => own,
    ownOf: (state) => state,
    rootOf: (slot) => slot,
    click: (_, target) => target.click(),
  },
  {
    ...{ name: "as a package", panelType: "package" },
    stateOf: (own) => ({ package: IDENTIFIER, own }),
    ownOf: ({ own = {} }) => own as JsonObject,
    rootOf: (slot) => slot.frameLocator("iframe").frameLocator("iframe").locator("main"),
    click: clickInFrame,
  },
];

let browser: Browser;
let workspaces: Workspaces;
let archive: Buffer;
let line: Awaited<ReturnType<typeof startLoadBalancer>>;

before(async () => {
  archive = await packSensorMonitor();
  browser = await openBrowser();
  const port = await freePort();
  line = await startLoadBalancer([port]);
  const pages = line.url.replace("127.0.0.1", "localhost");
  const env = { MQTT_PORT: String(await freePort()), PLATFORM_PORT: String(port), BASE_URL: pages };
  workspaces = { ...(await startWorkspaces("one instance, embedded", env)), pages };
  await publishArchive(workspaces, archive);
});
after(async () => {
  await browser?.close();
  await line?.[Symbol.asyncDispose]();
  await workspaces?.[Symbol.asyncDispose]();
});

/** Built as its author builds it, and packed with `backplane panel pack`. */
async function packSensorMonitor(): Promise<Buffer> {
  const run = promisify(execFile);
  const folder = await mkdtemp(join(tmpdir(), "sensor-monitor-"));
  try {
    const config = join(ROOT, "examples/sensor-monitor-panel/vite.config.ts");
    const built = ["build", "--config", config, "--logLevel", "error", "--outDir", join(folder, "panel")];
    await run(process.execPath, [join(ROOT, "node_modules/vite/bin/vite.js"), ...built]);
    await run(process.execPath, [CLI, "panel", "pack", "panel"], { cwd: folder });
    return await readFile(join(folder, "panel.zip"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

for (const host of HOSTS) {
  suite(`the sensor monitor ${host.name}`, { concurrency: 1 }, () => {
    const repo = host.panelType;
    const { rootOf } = host;
    let seen: Visit;
    let page: Page;
    let device: ToldDevice;

    before(async () => {
      seen = await openPage(browser, workspaces, repo);
      page = seen.page;
      await allowPanel(workspaces, `${OWNER.name}/${repo}`, IDENTIFIER);
      device = await connectTold(workspaces, repo, "cell", NODES);
    });
    after(async () => {
      await device?.[Symbol.asyncDispose]();
      await seen?.[Symbol.asyncDispose]();
    });

    async function show(state: JsonObject, at = repo): Promise<{ slot: Locator; panel: Locator; tabId: string }> {
      // A tab does not come to the front while somebody types in another one.
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
      const initialState = host.stateOf({ device: "cell", ...state });
      const { tabId } = await driverOf(workspaces, workspaces.pages, at).open(host.panelType, { initialState });
      const slot = slotOf(page, tabId);
      await rootOf(slot).locator(".plot").waitFor();
      return { slot, panel: rootOf(slot), tabId };
    }
    const button = (panel: Locator, name: string) => panel.getByRole("button", { name, exact: true });
    const chip = (panel: Locator, entry: string) => panel.locator(`[data-series="${entry}"]`);

    test("it shows fields and formulas, by keyboard alone", async () => {
      const { slot, panel, tabId } = await show({ capability: "supply", fields: ["voltage_v"] });
      await device.tell("machine", { motor_c: 61.75, gearbox_c: 0 });
      for (let i = 0; i < 3; i += 1) await device.tell("supply", { voltage_v: 24, current_a: 2.5 + i, count: i });
      await chip(panel, "voltage_v").getByText("24", { exact: true }).waitFor();
      const addFormula = async () => {
        await panel.getByRole("button", { name: "Add a field" }).press("Enter");
        await page.keyboard.press("End");
        await page.keyboard.press("Enter");
      };
      await addFormula();
      await panel.getByLabel("Formula").fill("= voltage_v * amperes");
      await page.keyboard.press("Enter");
      await panel.getByText('"amperes" is not measured').waitFor();
      await panel.getByLabel("Formula").fill("= voltage_v * current_a");
      await page.keyboard.press("Enter");
      await chip(panel, "= voltage_v * current_a").getByText("108", { exact: true }).waitFor();
      await panel.getByText("= voltage_v * current_a in W").waitFor();
      await addFormula();
      await panel.getByLabel("Formula").fill("= current_a * machine.motor_c");
      await page.keyboard.press("Enter");
      await chip(panel, "= current_a * machine.motor_c").getByText("277.875", { exact: true }).waitFor();
      await panel.getByRole("button", { name: "Remove = current_a * machine.motor_c" }).press("Enter");

      await panel.getByRole("group", { name: /voltage_v/ }).focus();
      await page.keyboard.press("ArrowLeft");
      await panel
        .getByRole("status")
        .getByText(/: voltage_v 24 V, = voltage_v \* current_a \d+\.?\d* W/)
        .waitFor();
      await page.keyboard.press(" ");
      await button(panel, "Go on").waitFor();
      await page.keyboard.press("1");
      await panel.getByRole("button", { name: /^voltage_v/, pressed: false }).waitFor();
      await page.keyboard.press("+");
      await until(async () => {
        const tabs = await driverOf(workspaces, workspaces.pages, repo).tabs();
        return tabs.some((tab) => tab.tabId === tabId && Array.isArray(host.ownOf(tab.panelState).zoom));
      }, "the zoom is part of the tab");
      await page.keyboard.press("0");
      await button(panel, "Pause").waitFor();
      for (const view of ["XY", "FFT", "Time"]) await host.click(page, button(panel, view));
      await assertLooksRightInEveryLook(page, "the sensor monitor");
      if (host.panelType === "package") {
        assert.deepEqual(await axeViolations(await frameOf(slot), { part: "main" }), []);
      }
      assert.deepEqual(seen.complaints, []);
    });

    test("it draws what it was told", async () => {
      const { slot, panel } = await show({ capability: "supply", fields: ["voltage_v", "current_a"] });
      for (let i = 0; i < 60; i += 1) {
        const turn = i / 8;
        await device.tell("supply", { voltage_v: 24 + Math.sin(turn), current_a: 2 + Math.cos(turn) / 2, count: 0 });
        await sleep(100);
      }
      await chip(panel, "current_a").getByText(/^\d/).waitFor();
      const drawn = () => panel.locator(".plot canvas").first().evaluate(hasLines);
      await until(drawn, "a line in the plot");
      if (host.panelType === "package")
        await keepPicture(page, `[id="${await slot.getAttribute("id")}"]`, "package-sensor-monitor");
    });

    test("the title of its tab is the device, and another device is chosen in it", async () => {
      await using other = await connectTold(workspaces, repo, "spare", NODES);
      await other.tell("supply", { voltage_v: 7, current_a: 0, count: 0 });
      const { panel, tabId } = await show({ capability: "supply", fields: ["voltage_v"] });
      const tab = page.locator(`[data-tab="${tabId}"] [role=tab]`);
      await tab.getByText(/cell/).waitFor();
      await panel.getByRole("button", { name: /Choose another device$/ }).press("Enter");
      await panel
        .getByRole("button", { name: /spare.*power/i })
        .first()
        .press("Enter");
      await chip(panel, "voltage_v").getByText("7", { exact: true }).waitFor();
      await tab.getByText(/spare/).waitFor();
    });

    test("a page that was offline has every sample, once", async () => {
      const { panel } = await show({ capability: "supply", fields: ["count"], windowS: 600 });
      let next = 1_000;
      const tell = async (count: number) => {
        for (let i = 0; i < count; i += 1) {
          await device.tell("supply", { voltage_v: 0, current_a: 0, count: next });
          next += 1;
          await sleep(2);
        }
      };
      const counted = async () =>
        (await savedRows(host, page, panel)).map(([, count]) => Number(count)).filter((each) => each >= 1_000);
      await tell(20);
      await until(async () => (await counted()).length === 20, "the first samples");
      line.cut();
      await panel.getByText("no connection").waitFor();
      await tell(40);
      line.mend();
      await until(async () => (await panel.getByText("no connection").count()) === 0, "a new connection");
      await tell(20);
      await until(async () => (await counted()).at(-1) === next - 1, "the last sample");
      assert.deepEqual(
        await counted(),
        Array.from({ length: 80 }, (_, i) => 1_000 + i),
      );
    });

    test("what is recorded is replayed with the same numbers", async () => {
      const tape = `${repo}-tape`;
      await showWorkspace(seen, workspaces, tape);
      await allowPanel(workspaces, `${OWNER.name}/${tape}`, IDENTIFIER);
      await using rig = await connectTold(workspaces, tape, "cell", NODES);
      const { slot, panel } = await show({ capability: "supply", fields: ["voltage_v", "current_a"] }, tape);
      const showing = (value: number) => chip(panel, "voltage_v").getByText(String(value), { exact: true }).waitFor();
      await page.getByRole("button", { name: "Record", exact: true }).waitFor();
      await page.locator("body").press("r");
      await page.getByRole("timer", { name: "Recording" }).waitFor();
      await rig.tell("supply", { voltage_v: 41, current_a: -20.5, count: 0 });
      await showing(41);
      const recorded = await panel.locator(".chip b").allTextContents();
      await page.locator("body").press("r");
      await page.getByRole("button", { name: "Record", exact: true }).waitFor();
      await rig.tell("supply", { voltage_v: 73, current_a: -1, count: 0 });
      await showing(73);
      await page.goto(`${workspaces.pages}/w/${OWNER.name}/${tape}/recordings`);
      await page.getByRole("link", { name: "Replay" }).click();
      await page.getByRole("button", { name: "Back to live", exact: true }).waitFor();
      await page.keyboard.press("End");
      await showing(41);
      assert.deepEqual(await rootOf(slot).locator(".chip b").allTextContents(), recorded);
      await panel.getByText("recorded", { exact: true }).waitFor();
      await showWorkspace(seen, workspaces, repo);
    });

    test("it says who is in control, and that a device is lost; the last value stays", async () => {
      const { panel } = await show({ capability: "supply", fields: ["voltage_v"] });
      await device.tell("supply", { voltage_v: 12.5, current_a: 0, count: 0 });
      const value = chip(panel, "voltage_v").getByText("12.5", { exact: true });
      await value.waitFor();
      const lease = `/api/workspaces/editor/${OWNER.name}/${repo}/current/devices/cell/lease`;
      const taken = await workspaces.owner.call(workspaces.pages, lease, { method: "PUT", body: {} });
      assert.equal(taken.status, 200, await taken.text());
      await panel.getByText(/ controls$/).waitFor();
      device.pullPlug();
      await panel
        .getByText(/\blost\b/i)
        .first()
        .waitFor();
      assert.equal(await value.count(), 1);
      assert.deepEqual(
        seen.complaints.filter((each) => !/ERR_EMPTY_RESPONSE|ERR_CONNECTION|WebSocket|Failed to load/.test(each)),
        [],
      );
    });
  });
}

/** More than one row of pixels has the colour of a series: neither grey nor clear. */
function hasLines(canvas: HTMLElement | SVGElement): boolean {
  const { width, height } = canvas as HTMLCanvasElement;
  const pixels = (canvas as HTMLCanvasElement).getContext("2d")?.getImageData(0, 0, width, height).data ?? [];
  const rows = new Set<number>();
  for (let at = 0; at < pixels.length; at += 4) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = pixels.slice(at, at + 4);
    if (alpha > 128 && Math.max(red, green, blue) - Math.min(red, green, blue) > 60)
      rows.add(Math.floor(at / 4 / width));
  }
  return rows.size > 5;
}

/** The rows of what the panel saves, without the head. */
async function savedRows(host: Host, page: Page, panel: Locator): Promise<string[][]> {
  const download = page.waitForEvent("download");
  await host.click(page, panel.getByRole("button", { name: "Save what is seen as CSV" }));
  const text = await readFile(await (await download).path(), "utf8");
  return text
    .trim()
    .split("\r\n")
    .slice(1)
    .map((each) => each.split(","));
}
