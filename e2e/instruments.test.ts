import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { DeviceKeys, MadeDeviceKey } from "@backplane/contract/devices";
import { type RunningSimulator, startSimulator } from "@backplane/simulators";
import type { Browser, Locator } from "playwright-core";
import { freePort } from "../scripts/services/index.ts";
import { chipData } from "./instruments/chip-data.ts";
import { gpio } from "./instruments/gpio.ts";
import type { Instrument, InstrumentBench } from "./instruments/instrument.ts";
import { led } from "./instruments/led.ts";
import { lights } from "./instruments/lights.ts";
import { motor } from "./instruments/motor.ts";
import { sensorPanels } from "./instruments/sensors.suite.ts";
import { servo } from "./instruments/servo.ts";
import { speedController } from "./instruments/speed-controller.ts";
import { workcellPower } from "./instruments/workcell-power.ts";
import { slotOf } from "./panels/bench.ts";
import { openBrowser, type Visit } from "./support/browser.ts";
import { assertLooksRightInEveryLook } from "./support/looks.ts";
import { OWNER } from "./support/platform.ts";
import { until } from "./support/processes.ts";
import { driverOf, openPage, showWorkspace, startWorkspaces, type Workspaces } from "./support/workspaces.ts";

/** One row per panel; each row is a file of its own. */
const INSTRUMENTS: readonly Instrument[] = [motor, led, lights, servo, gpio, workcellPower, speedController, chipData];

let browser: Browser;
let workspaces: Workspaces;
let seen: Visit;

before(async () => {
  browser = await openBrowser();
  workspaces = await startWorkspaces("one instance, embedded", { MQTT_PORT: String(await freePort()) });
  seen = await openPage(browser, workspaces, "start");
});
after(async () => {
  await seen?.[Symbol.asyncDispose]();
  await browser?.close();
  await workspaces?.[Symbol.asyncDispose]();
});

sensorPanels(() => ({ workspaces, seen }));

const callsOf = (repo: string) => {
  const path = `/api/workspaces/editor/${OWNER.name}/${repo}/current/devices`;
  return async <Answer>(rest: string, method = "GET", body?: unknown): Promise<Answer> => {
    const options = { method, ...(body === undefined ? {} : { body }) };
    const answer = await workspaces.owner.call(workspaces.pages, `${path}${rest}`, options);
    assert.ok(answer.ok, await answer.clone().text());
    return (await answer.json().catch(() => undefined)) as Answer;
  };
};

/** A device with a key of its own, over a real connection. */
async function simulate(repo: string, kind: string, id: string): Promise<RunningSimulator> {
  const call = callsOf(repo);
  const { key } = await call<MadeDeviceKey>("/keys", "POST", { name: id, device: id });
  const { address } = await call<DeviceKeys>("/keys");
  assert.ok(address);
  const simulator = startSimulator({ kind, url: address, key, id, name: id });
  await simulator.ready;
  return simulator;
}

function benchOf(slot: Locator, simulator: RunningSimulator): InstrumentBench {
  const { page } = seen;
  const button = (name: string) => slot.getByRole("button", { name, exact: true });
  const press = async (name: string) => (await button(name).count()) > 0 && (await button(name).press("Enter"));
  const arm = async () => {
    await until(async () => {
      await press("Take control");
      await press("Arm");
      return (await button("Disarm").count()) > 0;
    }, "it is armed");
  };
  const release = async () => {
    await page.mouse.up();
    await page.keyboard.up(" ");
  };
  return {
    ...{ page, slot, simulator, arm, release },
    told: (wanted) =>
      simulator
        .witnessed()
        .filter(({ what, name }) => what === "command" && name === wanted)
        .map(({ params }) => params),
    async holdUntil(held, isThere, what) {
      // On a busy machine control, which lasts 5 s, may end before it is used: then it is taken again.
      await until(async () => {
        if (await isThere()) return true;
        if ((await slot.locator(".hold-button.held").count()) > 0) return false;
        await release();
        await arm();
        await held.focus();
        await page.keyboard.down(" ");
        return false;
      }, what);
    },
  };
}

for (const instrument of INSTRUMENTS) {
  const { panel, refuses, moves } = instrument;
  suite(`the panel ${panel}`, { concurrency: 1 }, () => {
    let simulator: RunningSimulator;
    let bench: InstrumentBench;
    before(async () => {
      await showWorkspace(seen, workspaces, panel);
      simulator = await simulate(panel, instrument.simulator, "unit");
      const { tabId } = await driverOf(workspaces, workspaces.pages, panel).open(panel, {
        initialState: { device: "unit" },
      });
      const slot = slotOf(seen.page, tabId);
      const { opened } = instrument;
      await (opened ? slot.getByText(opened) : slot.getByRole("button", { name: /^unit, ready/ })).waitFor();
      bench = benchOf(slot, simulator);
    });
    after(() => simulator?.close());

    test("it shows what the device measures", () => instrument.shows(bench));
    if (instrument.commands)
      test("a command reaches the device, and is shown as reached when the device says so", () =>
        instrument.commands?.(bench));
    for (const [sentence, check] of Object.entries(instrument.more ?? {})) test(sentence, () => check(bench));
    if (refuses) {
      test("what is out of limits is refused, with the field and the limit", async () => {
        const { capability, field, limits } = refuses;
        const settings = (narrowed: object) => callsOf(panel)("/unit/settings", "PUT", { limits: narrowed });
        await settings({ [capability]: { [field]: limits } });
        await refuses.act(bench);
        const words = `${field} must be at least ${limits[0]} and at most ${limits[1]}`;
        await bench.slot.locator(".command-row", { hasText: words }).waitFor();
        await bench.release();
        await settings({});
      });
    }
    test("it looks right, light and dark, wide and narrow", async () => {
      await assertLooksRightInEveryLook(seen.page, panel);
      assert.deepEqual(seen.complaints, []);
    });
    if (moves) {
      test("leaving the page stops what moves", async () => {
        await moves.start(bench);
        await until(() => moves.isMoving(simulator), "it moves");
        await seen.page.goto("about:blank");
        const last = () => simulator.witnessed().findLast(({ what }) => what === "command")?.name;
        await until(() => last() === moves.stop, "it was told to stop");
        await bench.release();
      });
    }
  });
}
