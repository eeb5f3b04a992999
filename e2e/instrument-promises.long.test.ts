// What every instrument panel promises, all of them in one page, with `backplane simulate all` as a process: they show what
// their devices measure, a device that floods or lies does not mislead, what is lost says so, and a replay has the same numbers.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Ack, Devices, History } from "@backplane/contract/devices";
import type { Locator } from "playwright-core";
import { slotOf } from "./panels/bench.ts";
import { BENCHES, openPanels, REPO } from "./soak/workbench.ts";
import type { Program } from "./support/backplane.ts";
import { type InstrumentPage, startInstrumentPage } from "./support/instrument-page.ts";
import { OWNER } from "./support/platform.ts";
import { until } from "./support/processes.ts";
import { ALL_PANELS, startSimulate, startSimulateAll } from "./support/simulate-all.ts";

/**
 * What a panel shows of the last sample: which numbers are compared, and one of them with the field that it is. Of what follows
 * from many samples, other times show other numbers.
 */
type Promised = { numbers: string; one?: { at: string; capability: string; field: string; within: number } };
const one = (at: string, capability: string, field: string, within: number) => ({ at, capability, field, within });
const field = (name: string) => `[data-field="${name}"]`;
const tile = (name: string) => `[data-reading="${name}"] dd:first-of-type`;
const PROMISED: Readonly<Record<string, Promised>> = {
  "temperature-graph": { numbers: "tbody td.now" },
  "pressure-temperature": { numbers: ".read dd:not(.read-note)" },
  "sensor-monitor": { numbers: ".chip b" },
  "robot-log": { numbers: ".log-row:last-of-type" },
  motor: { numbers: ".readouts dd", one: one(field("bus_voltage_v"), "motor", "bus_voltage_v", 0.5) },
  imu: { numbers: ".imu-angles td.now" },
  "time-of-flight": { numbers: "td[data-zone]" },
  ultrasonic: { numbers: tile("Distance") },
  "line-follower": { numbers: tile("Position") },
  "ultra-wideband": { numbers: `${tile("x")}, ${tile("y")}` },
  "oven-data": { numbers: field("board_c"), one: one(field("board_c"), "oven", "board_c", 1) },
  led: { numbers: field("current_a"), one: one(field("current_a"), "led", "current_a", 0.3) },
  // A lamp that is lost says so instead of its state.
  lights: { numbers: "[data-lamp]:not([data-lamp])" },
  servo: { numbers: "[data-field]" },
  gpio: { numbers: ".gpio-header [data-field]" },
  "workcell-power": { numbers: "[data-field]" },
  "speed-controller": {
    numbers: ".readouts [data-field]",
    one: one(field("voltage_v"), "esc", "voltage_v", 0.3),
  },
  "chip-statistics": { numbers: `${tile("Core 0")}, ${tile("Heap free")}` },
  "chip-data": { numbers: "tr[data-item] td:nth-of-type(2)" },
  "battery-charger": { numbers: "[data-cell]", one: one(tile("Charge"), "charger", "soc_pct", 1) },
  drone: { numbers: "[data-field]", one: one(field("battery_pct"), "drone", "battery_pct", 2) },
};

const { columns } = BENCHES.all ?? { columns: [] };
const ORDER = columns.flat().map(([panel]) => panel);

/** A page that is behind shows the last of what was measured within this time. */
const STILL_MS = 4_000;

let bench: InstrumentPage;
let simulators: Program;
/** The tab of each panel. */
const tabs = new Map<string, string>();
before(async () => {
  bench = await startInstrumentPage(REPO, { viewport: { width: 1_600, height: 1_000 } });
  simulators = await startSimulateAll(bench.workspaces, REPO);
  assert.ok(BENCHES.all);
  const opened = await openPanels(BENCHES.all, bench.workspaces, bench.seen.page);
  for (const [place, panel] of ORDER.entries()) tabs.set(panel, opened[place] ?? "");
});
after(async () => {
  await simulators?.[Symbol.asyncDispose]();
  await bench?.[Symbol.asyncDispose]();
});

const slotFor = (panel: string): Locator => slotOf(bench.seen.page, tabs.get(panel) ?? "");

/** All of one moment: panels go on while one reads them. */
const numbersOf = (): Promise<Record<string, string[]>> =>
  bench.seen.page.evaluate(
    (wanted) =>
      Object.fromEntries(
        wanted.map(([panel, tab, numbers]) => [
          panel,
          [...document.querySelectorAll(`.slot[data-tab="${tab}"]`)].flatMap((slot) =>
            [...slot.querySelectorAll(numbers)].map(({ textContent }) => (textContent ?? "").replaceAll(/\s+/g, " ")),
          ),
        ]),
      ),
    ORDER.map((panel) => [panel, tabs.get(panel), PROMISED[panel]?.numbers ?? ""] as const),
  );

/** The last value that the platform has of a field. */
async function measured(device: string, capability: string, name: string): Promise<number> {
  const path = `/devices/${device}/${capability}/history?from=${Date.now() - 5_000}&points=100`;
  const { fields } = await bench.call<History>(path);
  return fields[name]?.mean.findLast((value) => value !== null) ?? Number.NaN;
}

suite("what every instrument panel promises", { concurrency: 1 }, () => {
  test("there is one promise per panel, and every panel has numbers to show", async () => {
    assert.deepEqual(Object.keys(PROMISED).sort(), ALL_PANELS.map(({ panel }) => panel).sort());
    await until(async () => {
      const all = await numbersOf();
      return ORDER.every((panel) => panel === "lights" || all[panel]?.some((text) => /\d/.test(text)));
    }, "every panel shows numbers");
  });

  for (const { panel, device } of ALL_PANELS) {
    const { one: wanted } = PROMISED[panel] ?? {};
    if (!wanted) continue;
    test(`${panel} shows what its device measures`, async () => {
      const { at, capability, field: name, within } = wanted;
      const shown = slotFor(panel).locator(at).first();
      let last = "";
      await until(
        async () => {
          const [text, value] = [await shown.innerText(), await measured(device, capability, name)];
          last = `${text} is shown, ${value} was measured`;
          return Math.abs(Number.parseFloat(text.replace("−", "-")) - value) <= within;
        },
        `${panel}: ${name}`,
        30_000,
      ).catch((error: unknown) => assert.fail(`${String(error)}: ${last}`));
    });
  }

  test("a device that floods does not keep the other panels from showing theirs", async () => {
    await using _flood = await startSimulate(bench.workspaces, REPO, "imu", "--fault", "flooding", "--id", "flood");
    const { devices } = await bench.call<Devices>("/devices");
    assert.ok(devices.some(({ id }) => id === "flood"));
    const before = await numbersOf();
    await until(async () => {
      const now = await numbersOf();
      return ["imu", "sensor-monitor", "motor"].every((panel) => now[panel]?.join() !== before[panel]?.join());
    }, "others go on");
    assert.deepEqual(bench.seen.complaints, []);
  });

  test("a device that lies is shown as what it measures, not as what was asked", async () => {
    await using _lying = await startSimulate(bench.workspaces, REPO, "servo", "--fault", "lying", "--id", "liar");
    const { page } = bench.seen;
    const { tabId, slot } = await bench.open("servo", { device: "liar" });
    const angle = slot.locator(field("elbow_deg"));
    await until(async () => /\d/.test(await angle.innerText()), "it shows an angle");
    const degrees = async () => Number.parseFloat((await angle.innerText()).replace("−", "-"));
    const before = await degrees();
    for (const step of ["lease", "arm"]) await bench.call(`/devices/liar/${step}`, "PUT", {});
    const ack = await bench.call<Ack>("/devices/liar/servos/commands", "POST", {
      ...{ name: "pose", params: { elbow_deg: 90, over_s: 0.5 } },
    });
    assert.equal(ack.ok, true, "it says that it did");
    // It goes on to measure, and it measures that nothing moved.
    const seenMs = Date.now();
    await until(() => Date.now() - seenMs > 2_000, "it had the time to move");
    assert.ok(Math.abs((await degrees()) - before) < 1, `${before}° before, ${await degrees()}° now`);
    await bench.call("/devices/liar/lease", "DELETE");
    await bench.driver.call("DELETE", `${bench.driver.current}/tabs`, { tabId });
    await page.locator(`.slot[data-tab="${tabId}"]`).waitFor({ state: "detached" });
  });

  test("what is lost says so in every panel, and a replay has the same numbers", async () => {
    const { page } = bench.seen;
    simulators.child.kill("SIGKILL");
    for (const panel of ORDER)
      await slotFor(panel)
        .getByText(/\blost\b|0 of 8 lamps answer|No lamp answers/i)
        .first()
        .waitFor({ state: "attached" });
    // What was on its way is shown.
    let [shown, sinceMs] = [await numbersOf(), Date.now()];
    await until(async () => {
      const now = await numbersOf();
      if (JSON.stringify(now) !== JSON.stringify(shown)) [shown, sinceMs] = [now, Date.now()];
      return Date.now() - sinceMs > STILL_MS;
    }, "the numbers stand still");
    await bench.call("/recordings", "POST", { keep: true, lastMs: 60_000 });
    await page.goto(`${bench.workspaces.pages}/w/${OWNER.name}/${REPO}/recordings`);
    await page.getByRole("link", { name: "Replay" }).first().click();
    await page.getByRole("button", { name: "Back to live", exact: true }).waitFor();
    await page.keyboard.press("End");
    const differences = async () => {
      const now = await numbersOf();
      return ORDER.filter((panel) => now[panel]?.join("|") !== shown[panel]?.join("|")).map(
        (panel) => `${panel}: ${now[panel]?.join("|")} instead of ${shown[panel]?.join("|")}`,
      );
    };
    await until(async () => (await differences()).length === 0, "the same numbers", 60_000).catch(async () =>
      assert.deepEqual(await differences(), []),
    );
    assert.deepEqual(bench.seen.complaints, []);
  });
});
