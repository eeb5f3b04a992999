// What every panel of a device promises, for all five of them in one page: the device is lost, somebody else is in control, a
// recording shows the same numbers, and keys alone are enough.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Devices } from "@backplane/contract/devices";
import type { ToldDevice } from "@backplane/simulators";
import type { Browser, Locator, Page } from "playwright-core";
import { freePort } from "../scripts/services/index.ts";
import { slotOf } from "./panels/bench.ts";
import type { Program } from "./support/backplane.ts";
import { openBrowser, type Visit, visit } from "./support/browser.ts";
import { assertLooksRightInEveryLook } from "./support/looks.ts";
import { makePerson, signedInWindow } from "./support/person.ts";
import { OWNER } from "./support/platform.ts";
import { until } from "./support/processes.ts";
import { keyWith, startSimulateAll } from "./support/simulate-all.ts";
import { connectTold, nodeOf } from "./support/told-device.ts";
import {
  connected,
  driverOf,
  openPage,
  showWorkspace,
  startWorkspaces,
  type Workspaces,
} from "./support/workspaces.ts";

const WIDE = { viewport: { width: 1400, height: 1000 } };

/** The panels, what they show of `simulate all`, and which numbers of them are compared. */
const PANELS = {
  motor: { device: "sim-motor", numbers: ".readouts dd" },
  "sensor-monitor": { device: "sim-motor", numbers: ".chip b" },
  "temperature-graph": { device: "sim-temperature", numbers: "tbody th, tbody td.now" },
  "pressure-temperature": { device: "sim-pressure", numbers: ".read dd:not(.read-note)" },
  "robot-log": { device: "sim-log", numbers: ".log-row" },
} as const;
type Kind = keyof typeof PANELS;
const KINDS = Object.keys(PANELS) as Kind[];
type Slots = Record<Kind, Locator>;

let browser: Browser;
let workspaces: Workspaces;
let seen: Visit;
let page: Page;
let simulators: Program;

before(async () => {
  browser = await openBrowser();
  workspaces = await startWorkspaces("one instance, embedded", { MQTT_PORT: String(await freePort()) });
  simulators = await startSimulateAll(workspaces, "cell");
  seen = await openPage(browser, workspaces, "cell", WIDE);
  page = seen.page;
});
after(async () => {
  await simulators?.[Symbol.asyncDispose]();
  await seen?.[Symbol.asyncDispose]();
  await browser?.close();
  await workspaces?.[Symbol.asyncDispose]();
});

/** All five side by side: each but the first splits an earlier one. */
const SPLITS = [undefined, [0, "horizontal"], [0, "vertical"], [1, "vertical"], [3, "horizontal"]] as const;

async function openAll(repo: string, stateOf: (kind: Kind) => object): Promise<Slots> {
  const driver = driverOf(workspaces, workspaces.pages, repo);
  const panels: string[] = [];
  const slots = {} as Slots;
  for (const [place, kind] of KINDS.entries()) {
    const [from, direction] = SPLITS[place] ?? [];
    const more = { initialState: stateOf(kind) };
    const split = from === undefined ? undefined : await driver.split(panels[from] ?? "", kind, { direction, ...more });
    const { tabId, panelId } = split ? { ...split, panelId: split.newPanelId } : await driver.open(kind, more);
    panels.push(panelId);
    slots[kind] = slotOf(page, tabId);
  }
  return slots;
}

const numbersIn = (slots: Slots) =>
  Promise.all(
    // Also what a narrow panel has no room to show.
    KINDS.map(async (kind) => [kind, await slots[kind].locator(PANELS[kind].numbers).allTextContents()] as const),
  );

const button = (where: Page | Locator, name: string | RegExp) =>
  where.getByRole("button", { name, exact: typeof name === "string" });

suite("what all panels of devices promise", { concurrency: 1 }, () => {
  let slots: Slots;
  before(async () => {
    slots = await openAll("cell", (kind) => ({ device: PANELS[kind].device }));
  });

  test("all of them show their simulators, in every look", async () => {
    for (const kind of KINDS)
      await slots[kind].locator(PANELS[kind].numbers).filter({ hasText: /\d/ }).first().waitFor();
    await assertLooksRightInEveryLook(page, "five panels");
    assert.deepEqual(seen.complaints, []);
  });

  test("each of them is used by keys alone", async () => {
    const focused = () => page.evaluate(() => document.activeElement?.closest<HTMLElement>(".slot")?.dataset.tab);
    const reached = new Set<string>();
    for (const _ of KINDS) {
      await page.keyboard.press("F6");
      await page.keyboard.press("Enter");
      const isNext = async () => {
        const tab = await focused();
        return tab !== undefined && !reached.has(tab);
      };
      await until(isNext, "Enter leads from the tab into the next panel");
      reached.add((await focused()) ?? "");
    }
    await useByKeys["sensor-monitor"](slots["sensor-monitor"]);
    await useByKeys["temperature-graph"](slots["temperature-graph"]);
    await useByKeys["pressure-temperature"](slots["pressure-temperature"]);
    await useByKeys["robot-log"](slots["robot-log"]);
    await page.keyboard.press("Escape");
  });

  test("of two people one is in control, every panel of the device says who, and the other takes over", async () => {
    const { pages, owner } = workspaces;
    const shared = `/api/workspaces/editor/${OWNER.name}/cell`;
    const person = await makePerson(owner, pages, "ada");
    const ada = await person.signIn();
    await owner.call(pages, `${shared}/people/ada`, { method: "PUT" });
    assert.equal((await ada.call(pages, `${shared}/accept`, { method: "POST" })).status, 204);
    await using theirs = await visit(browser, { ...signedInWindow(ada), ...WIDE });
    await theirs.page.goto(`${pages}/w/${OWNER.name}/cell`);
    await connected(theirs.page);

    using _mine = await keepUsing(page);
    using _theirs = await keepUsing(theirs.page);
    await button(page, "Take control").click();
    await theirs.page.locator(".lease-name", { hasText: OWNER.name }).waitFor();
    await theirs.page.getByText(`${OWNER.name} controls`, { exact: true }).waitFor();
    await button(theirs.page, "Take over…").click();
    await button(theirs.page, "Stop and take over").click();
    await theirs.page.getByText("You control").waitFor();
    await page.locator(".lease-name", { hasText: "ada" }).waitFor();
    await page.getByText("ada controls", { exact: true }).waitFor();
    assert.equal(await page.getByText("You control").count(), 0);
    assert.deepEqual(theirs.complaints, []);
  });

  test("whoever may only look stops everything by holding Stop, not by a short press", async () => {
    // As a screen on the wall: signed in by a key that may not control.
    const extraHTTPHeaders = { "x-api-key": await keyWith(workspaces) };
    await using viewer = await visit(browser, { extraHTTPHeaders, ...WIDE });
    await viewer.page.goto(`${workspaces.pages}/w/${OWNER.name}/cell`);
    await viewer.page.getByText("View only").waitFor();
    const hold = viewer.page.locator(".devices-bar").getByRole("button", { name: "Hold to stop" });
    const stopped = async () => {
      const path = `/api/workspaces/editor/${OWNER.name}/cell/current/devices`;
      return ((await (await workspaces.owner.call(workspaces.pages, path)).json()) as Devices).stopped;
    };
    await hold.click();
    assert.equal(await stopped(), null);
    await hold.hover();
    const fromMs = Date.now();
    await viewer.page.mouse.down();
    for (const { page: each } of [viewer, seen])
      await each
        .getByRole("alert")
        .getByText(/^Stopped by/)
        .waitFor();
    await viewer.page.mouse.up();
    const heldMs = Date.parse((await stopped())?.at ?? "") - fromMs;
    assert.ok(heldMs >= 600, `held for ${heldMs} ms`);
    assert.equal(await button(viewer.page, "Clear the stop").count(), 0, "only who controls clears");
    await button(page, "Clear the stop").click();
    assert.deepEqual(viewer.complaints, []);
  });

  test("a device that is killed is lost in every panel", async () => {
    const lostAtMs = page.evaluate(noteLost, KINDS.length);
    const killedAtMs = Date.now();
    simulators.child.kill("SIGKILL");
    const tookMs = (await lostAtMs).map((atMs) => atMs - killedAtMs);
    for (const kind of KINDS)
      await slots[kind]
        .getByText(/\blost\b/i)
        .first()
        .waitFor();
    // On a machine that is busy with other tests the bound would measure those.
    assert.ok(Math.max(...tookMs) <= LOST_WITHIN_MS, `${tookMs} ms`);
  });
});

const LOST_WITHIN_MS = 2_000;

/** The times, by the clock of the page, at which so many panels first said that their device is lost. */
function noteLost(count: number): Promise<number[]> {
  const lost = new Map<Element, number>();
  return new Promise((resolve) => {
    const look = () => {
      for (const slot of document.querySelectorAll<HTMLElement>(".slot"))
        if (!lost.has(slot) && /\blost\b/i.test(slot.innerText)) lost.set(slot, Date.now());
      if (lost.size === count) resolve([...lost.values()]);
      else requestAnimationFrame(look);
    };
    look();
  });
}

const TOLD = {
  drive: nodeOf("motor", { velocity_rad_s: "rad/s", bus_voltage_v: "V" }),
  supply: nodeOf("power", { voltage_v: "V", current_a: "A" }),
  machine: nodeOf("temperature", { motor_c: "°C", gearbox_c: "°C" }),
  air: nodeOf("pressure-temperature", { pressure_pa: "Pa", temperature_c: "°C", humidity_pct: "%" }),
};

const connectRig = (repo: string): Promise<ToldDevice> => connectTold(workspaces, repo, "rig", TOLD);

/** Numbers that follow from one, so that no two times show the same. */
async function tell(rig: ToldDevice, n: number): Promise<void> {
  await rig.tell("drive", { velocity_rad_s: n, bus_voltage_v: 24 });
  await rig.tell("supply", { voltage_v: n, current_a: -n / 2 });
  await rig.tell("machine", { motor_c: n + 0.25, gearbox_c: -n });
  await rig.tell("air", { pressure_pa: 98_000 + 10 * n, temperature_c: n, humidity_pct: 100 });
  await rig.say("info", `arm: Joint 3 at ${n}.5°`);
}

test("what is recorded is replayed with the same numbers in every panel", async () => {
  await showWorkspace(seen, workspaces, "tape");
  await using rig = await connectRig("tape");
  const slots = await openAll("tape", () => ({ device: "rig" }));
  const showing = (n: number) =>
    until(async () => {
      const shown = await numbersIn(slots);
      return shown.every(([, texts]) => texts.some((text) => text.includes(String(n))));
    }, `all panels show ${n}`);

  await button(page, "Record").waitFor();
  await page.keyboard.press("r");
  await page.getByRole("timer", { name: "Recording" }).waitFor();
  await tell(rig, 41);
  await showing(41);
  const recorded = await numbersIn(slots);
  await page.keyboard.press("r");
  await button(page, "Record").waitFor();
  await tell(rig, 73);
  await showing(73);
  assert.notDeepEqual(await numbersIn(slots), recorded);

  await page.goto(`${workspaces.pages}/w/${OWNER.name}/tape/recordings`);
  await page.getByRole("link", { name: "Replay" }).click();
  await button(page, "Back to live").waitFor();
  await page.keyboard.press("End");
  await showing(41);
  assert.deepEqual(await numbersIn(slots), recorded);
});

/** The column that has what was told, and how much more. */
const PLOTTED = [
  ["sensor-monitor", 1, 0],
  ["temperature-graph", 1, 0.25],
  ["pressure-temperature", 2, 0],
] as const;
const OFFLINE_MS = 20_000;
const TELL_EVERY_MS = 100;

test("a page that was offline for 20 s has no hole in any panel", async () => {
  await showWorkspace(seen, workspaces, "gap");
  await using rig = await connectRig("gap");
  const slots = await openAll("gap", (kind) => ({
    ...{ device: "rig" },
    // The usual window of one of them is 20 s.
    ...(PLOTTED.some(([plotted]) => plotted === kind) ? { windowS: 600 } : {}),
  }));
  const network = await page.context().newCDPSession(page);
  const offline = (isOffline: boolean) =>
    network.send("Network.emulateNetworkConditions", {
      ...{ offline: isOffline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 },
    });
  let told = 0;
  const tellFor = async (ms: number) => {
    for (const endMs = Date.now() + ms; Date.now() < endMs; await sleep(TELL_EVERY_MS)) {
      told += 1;
      await tell(rig, told);
    }
  };
  await tellFor(3_000);
  await offline(true);
  await tellFor(OFFLINE_MS);
  await offline(false);
  await tellFor(1_000);
  for (const [kind, column, more] of PLOTTED) {
    await until(async () => (await savedColumn(slots[kind], column)).length >= told, `${kind} has ${told} samples`);
    const wanted = Array.from({ length: told }, (_, i) => i + 1 + more);
    assert.deepEqual(await savedColumn(slots[kind], column), wanted, kind);
  }
  await slots["robot-log"].getByText(`${told} lines kept`, { exact: true }).waitFor();
});

/** One column of what a panel saves. */
async function savedColumn(slot: Locator, column: number): Promise<number[]> {
  const download = page.waitForEvent("download");
  // A narrow panel has no room to show it.
  const save = slot.getByRole("button", { name: "Save what is seen as CSV", includeHidden: true });
  await save.dispatchEvent("click");
  const text = await readFile(await (await download).path(), "utf8");
  const rows = text.trim().split("\r\n").slice(1);
  return rows.map((row) => Number(row.split(",")[column]));
}

/** Control lasts 5 s and is renewed by use: the pointer moves on over the panel. */
async function keepUsing(used: Page): Promise<Disposable> {
  const readings = used.locator(".readouts");
  await readings.waitFor();
  const box = await readings.boundingBox();
  assert.ok(box);
  let by = 0;
  const timer = setInterval(() => {
    by = 1 - by;
    void used.mouse.move(box.x + 20 + by, box.y + 10).catch(() => {});
  }, 500);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** What each panel is for, without a pointer. */
const useByKeys: Record<Exclude<Kind, "motor">, (slot: Locator) => Promise<void>> = {
  async "sensor-monitor"(slot) {
    await button(slot, "FFT").press("Enter");
    await slot.getByText(/Hz/).first().waitFor();
    await button(slot, "Time").press("Enter");
    await slot.locator(".plot").press("ArrowLeft");
    await slot.getByRole("list", { name: "Values at the cursor" }).waitFor();
  },
  async "temperature-graph"(slot) {
    await button(slot, "Set the high limit of Motor").press("Enter");
    await slot.getByLabel("High limit of Motor", { exact: true }).press("ArrowUp");
    await button(slot, /high limit of Motor$/).waitFor();
    await slot.locator(".plot").press(" ");
    await button(slot, "Go on").press("Enter");
  },
  async "pressure-temperature"(slot) {
    await slot.getByLabel("Altitude").fill("500");
    await slot.getByLabel("Altitude").press("Enter");
    await slot.getByText("Pressure at sea level").waitFor();
  },
  async "robot-log"(slot) {
    await button(slot, "Debug").press("Enter");
    await slot.locator(".log-list").press("ArrowUp");
    await button(slot, "Follow again").press("Enter");
  },
};
