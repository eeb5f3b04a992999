// What every instrument panel promises, all of them in one page, with `backplane simulate all` as a process: they show what
// their devices measure, a device that floods or lies does not mislead, what is lost says so, and a replay has the same numbers.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Ack, History } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { findKind, startSimulator } from "@backplane/simulators";
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
  // A lamp that is lost says so instead of its state: compared with what it showed before.
  lights: { numbers: "[data-lamp] [data-field]" },
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

/** Devices that send a hundred times as often as they should, each shown in its panel. */
const FLOODS = ["imu", "ultrasonic", "gpio"];
const ANSWERS_WITHIN_MS = 5_000;

/** What a device says that it did, and where the panel shows that it did not. */
type Lie = {
  simulator?: string;
  state?: JsonObject;
  capability: string;
  name: string;
  params: JsonObject;
  at: (device: string) => string;
  before: RegExp;
};
const LIED_FOR_MS = 2_000;
const LIES: Readonly<Record<string, Lie>> = {
  motor: {
    ...{ capability: "motor", name: "velocity", params: { velocity_rad_s: 40 } },
    ...{ at: () => field("velocity_rad_s"), before: /^[−-]?[01]\./ },
  },
  servo: {
    ...{ capability: "servos", name: "pose", params: { elbow_deg: 20, over_s: 0.5 } },
    ...{ at: () => field("elbow_deg"), before: /^8[34]\./ },
  },
  gpio: {
    ...{ capability: "pins", name: "write", params: { pin: "gpio27", high: true } },
    ...{ at: () => `.gpio-header ${field("gpio27")}`, before: /^low$/ },
  },
  led: {
    ...{ capability: "led", name: "set", params: { brightness_pct: 3 } },
    ...{ at: () => field("brightness_pct"), before: /^([4-9]|\d\d+)$/ },
  },
  lights: {
    ...{ capability: "bench-1", name: "set", params: { on: false } },
    ...{ at: (device) => field(`${device}/bench-1`), before: /^100 %/ },
  },
  "workcell-power": {
    ...{ simulator: "power", capability: "power", name: "on", params: { rail: "logic_5v" } },
    ...{ at: () => field("logic_5v_v"), before: /^0\.00 V/ },
  },
  "speed-controller": {
    ...{ capability: "esc", name: "throttle", params: { throttle_pct: 30 } },
    ...{ at: () => field("erpm"), before: /^0\b/ },
  },
  drone: {
    ...{ capability: "drone", name: "arm", params: {} },
    ...{ at: () => field("mode"), before: /^Standby/ },
  },
  "battery-charger": {
    ...{ capability: "charger", name: "start", params: { current_a: 2 } },
    ...{ at: () => tile("Current"), before: /^0\.0/ },
  },
  "oven-data": {
    ...{ simulator: "oven", capability: "oven", name: "start" },
    params: { times_s: [0, 60, 120], temperatures_c: [25, 150, 245] },
    ...{ at: () => ".panel-status", before: /No run yet/ },
  },
  "chip-data": {
    ...{ capability: "chip", name: "write", params: { name: "target_rpm", value: 1 } },
    state: { group: "Variables" },
    ...{ at: () => 'tr[data-item="target_rpm"] td:nth-of-type(2)', before: /^1,500(\.0)?$/ },
  },
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

async function closeTab(tabId: string): Promise<void> {
  await bench.driver.call("DELETE", `${bench.driver.current}/tabs`, { tabId });
  await bench.seen.page.locator(`.slot[data-tab="${tabId}"]`).waitFor({ state: "detached" });
}

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
      return ORDER.every((panel) => all[panel]?.some((text) => /\d/.test(text)));
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

  test("devices that flood are shown, and do not keep the other panels from showing theirs", async () => {
    await using stack = new AsyncDisposableStack();
    const { page } = bench.seen;
    for (const kind of FLOODS) {
      stack.use(await startSimulate(bench.workspaces, REPO, kind, "--fault", "flooding", "--id", `flood-${kind}`));
      const { tabId, slot } = await bench.open(kind, { device: `flood-${kind}` });
      const numbers = PROMISED[kind]?.numbers ?? "";
      await until(async () => /\d/.test((await slot.locator(numbers).allInnerTexts()).join()), `${kind} shows numbers`);
      await closeTab(tabId);
    }
    const before = await numbersOf();
    await until(async () => {
      const now = await numbersOf();
      return ["imu", "sensor-monitor", "motor"].every((panel) => now[panel]?.join() !== before[panel]?.join());
    }, "others go on");
    // A page that cannot follow would not answer.
    const askedMs = Date.now();
    await page.evaluate(() => new Promise(requestAnimationFrame));
    assert.ok(Date.now() - askedMs < ANSWERS_WITHIN_MS);
    assert.deepEqual(bench.seen.complaints, []);
  });

  for (const [panel, lie] of Object.entries(LIES)) {
    const { simulator: kind = panel, capability, name, params, at, before: expected, state = {} } = lie;
    test(`${panel}: a device that lies is shown as what it measures, not as what was asked`, async () => {
      const id = `liar-${panel}`;
      const simulator = startSimulator({ ...(await bench.keyFor(id)), kind, name: id });
      await simulator.ready;
      const { tabId, slot } = await bench.open(panel, { device: id, ...state });
      const shown = async () => (await slot.locator(at(id)).first().innerText()).replaceAll(/\s+/g, " ");
      try {
        await until(async () => expected.test(await shown()), `${panel} shows ${expected}`);
        simulator.setFault("lying", true);
        for (const step of ["lease", "arm"]) await bench.call(`/devices/${id}/${step}`, "PUT", {});
        const ack = await bench.call<Ack>(`/devices/${id}/${capability}/commands`, "POST", { name, params });
        assert.equal(ack.ok, true, "it says that it did");
        // It goes on to measure, and it measures that nothing happened.
        const seenMs = Date.now();
        await until(async () => {
          const text = await shown();
          assert.match(text, expected);
          return Date.now() - seenMs > LIED_FOR_MS;
        }, "it had the time to do it");
      } finally {
        await bench.call(`/devices/${id}/lease`, "DELETE").catch(() => {});
        await closeTab(tabId);
        await simulator.close({ forget: true });
      }
    });
  }

  test("every panel that commands a device is tried with one that lies", () => {
    const commanding = ALL_PANELS.filter(({ device }) =>
      Object.values(findKind(device.replace(/^sim-/, ""))?.nodes ?? {}).some(({ commands = {} }) =>
        Object.values(commands).some(({ effect }) => effect !== "none"),
      ),
    );
    // What a line follower is told to do, to calibrate, is seen in no value that was asked for.
    const wanted = commanding.map(({ panel }) => panel).filter((panel) => panel !== "line-follower");
    assert.deepEqual(Object.keys(LIES).sort(), wanted.sort());
  });

  test("what is lost says so in every panel, and a replay has the same numbers", async () => {
    const { page } = bench.seen;
    const { lights = [] } = await numbersOf();
    assert.ok(lights.length >= 8);
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
    shown = { ...shown, lights };
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
