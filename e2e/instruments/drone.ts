import assert from "node:assert/strict";
import { pressIfThere } from "../support/browser.ts";
import { until } from "../support/processes.ts";
import type { Instrument, InstrumentBench } from "./instrument.ts";

const field = async ({ slot }: InstrumentBench, name: string) =>
  slot.locator(`[data-field=${name}]`).first().innerText();
const number = ({ simulator }: InstrumentBench, name: string) => Number(simulator.read("drone")[name]);
const speed = (bench: InstrumentBench) => Math.hypot(number(bench, "north_m_s"), number(bench, "east_m_s"));
const pad = ({ slot }: InstrumentBench) => slot.locator(".fly-pad");

/** Control may have ended on a busy machine: then it is taken again. */
async function press({ slot, arm, told }: InstrumentBench, label: RegExp, command: string): Promise<void> {
  const before = told(command).length;
  await until(async () => {
    if (told(command).length > before) return true;
    await arm();
    await slot.getByRole("button", { name: label }).press("Enter");
    return told(command).length > before;
  }, `${command} was sent`);
}

async function takeOff(bench: InstrumentBench): Promise<void> {
  await until(async () => {
    if (number(bench, "height_m") > 0.8) return true;
    if (bench.simulator.read("drone").armed !== true) await press(bench, /^Start motors/, "arm");
    else if (bench.simulator.read("drone").mode === "Hold") await press(bench, /^Take off/, "takeoff");
    return false;
  }, "it is in the air");
}

export const drone: Instrument = {
  panel: "drone",
  simulator: "drone",
  async shows(bench) {
    bench.simulator.tell("battery_pct", 64);
    await until(async () => (await field(bench, "battery_pct")).startsWith("64"), "the battery is shown");
    bench.simulator.tell("satellites", 4);
    await bench.slot.getByText("GPS: 4 satellites, 6 are needed").waitFor();
    await until(async () => (await field(bench, "mode")) === "Standby", "the mode is shown");
    await bench.slot.getByRole("img", { name: /, 1 area to keep out of$/ }).waitFor();
  },
  async commands(bench) {
    const { slot, simulator } = bench;
    await press(bench, /^Start motors/, "arm");
    await slot.locator(".command-row .bad", { hasText: "Pre-arm check failed: GPS: 4 satellites" }).waitFor();
    simulator.tell("satellites", 14);
    await press(bench, /^Take off/, "takeoff");
    await slot.locator(".command-row .bad", { hasText: "The motors are off" }).waitFor();
    await slot.getByRole("slider", { name: "Height" }).fill("2");
    await takeOff(bench);
    await slot.locator(".command-row .done", { hasText: "reached" }).waitFor();
    assert.ok(Math.abs(number(bench, "height_m") - 2) < 0.6);
    await until(
      async () => Math.abs(Number.parseFloat(await field(bench, "height_m")) - 2) < 0.6,
      "the height is shown",
    );
  },
  more: {
    async "it flies while the stick is held, and hovers when it is let go"(bench) {
      const { told, holdUntil, release } = bench;
      await holdUntil(pad(bench), () => speed(bench) > 0.6, "it flies");
      assert.deepEqual(told("velocity").at(-1), { forward_m_s: 1, right_m_s: 0, up_m_s: 0, turn_deg_s: 0 });
      await release();
      await until(() => told("stop").length > 0 && speed(bench) < 0.5, "it hovers");
      assert.ok(number(bench, "height_m") > 1);
    },
    async "Stop brakes it, then it lands"(bench) {
      const { slot, page, simulator, told } = bench;
      await slot.getByRole("button", { name: "Stop", exact: true }).press("Enter");
      await until(() => told("land").length > 0, "it was told to land");
      await until(() => simulator.read("drone").armed === false, "it has landed");
      const clear = page.getByRole("button", { name: "Clear the stop" });
      await until(async () => {
        await pressIfThere(clear);
        return (await slot.getByRole("button", { name: /^(Take control|Arm)$/ }).count()) > 0;
      }, "it can be controlled again");
    },
  },
  refuses: {
    ...{ capability: "drone", field: "height_m", limits: [1, 1.5] },
    async act(bench) {
      const { slot, arm } = bench;
      await until(async () => {
        await arm();
        await slot.getByRole("button", { name: /^Take off/ }).press("Enter");
        return (await slot.locator(".command-row", { hasText: "height_m" }).count()) > 0;
      }, "it was refused");
    },
  },
  moves: {
    async start(bench) {
      await takeOff(bench);
      await bench.holdUntil(pad(bench), () => speed(bench) > 0.6, "it flies");
    },
    isMoving: (simulator) =>
      Math.hypot(Number(simulator.read("drone").north_m_s), Number(simulator.read("drone").east_m_s)) > 0.3,
    stop: "stop",
  },
  picture: {
    begin: (bench) => takeOff(bench),
    filledS: 0,
    async act(bench) {
      const { slot, told, arm } = bench;
      await slot.getByLabel("m north").fill("8");
      await slot.getByLabel("m east").fill("24");
      await until(async () => {
        if (told("goto").length > 0) return true;
        await arm();
        await pressIfThere(slot.getByRole("button", { name: "Fly there" }));
        return false;
      }, "it was sent there");
      await until(() => number(bench, "east_m") > 12, "it is on its way");
    },
  },
};
