import assert from "node:assert/strict";
import { until } from "../support/processes.ts";
import type { Instrument, InstrumentBench } from "./instrument.ts";

const group = ({ slot }: InstrumentBench, name: string) =>
  slot
    .getByRole("navigation", { name: "Peripherals" })
    .getByRole("button", { name: new RegExp(`^${name}`) })
    .press("Enter");
const row = ({ slot }: InstrumentBench, name: string) => slot.locator(`tr[data-item="${name}"]`);
const value = async (bench: InstrumentBench, name: string) => row(bench, name).locator("td").nth(1).innerText();

/** Control may have ended on a busy machine: then it is taken again. */
const write = async ({ slot, arm, page, told }: InstrumentBench, text: string) => {
  const before = told("write").length;
  await slot.getByLabel("New value").fill(text);
  await until(async () => {
    if (told("write").length > before) return true;
    await arm();
    await slot.getByLabel("New value").focus();
    await page.keyboard.press("Enter");
    return told("write").length > before;
  }, "it was written");
};

export const chipData: Instrument = {
  panel: "chip-data",
  simulator: "chip-data",
  async shows(bench) {
    const { simulator, slot } = bench;
    await group(bench, "TIM1");
    simulator.tell("TIM1.DIER", 0x2a);
    await until(async () => (await value(bench, "TIM1.DIER")) === "0x0000_002A", "the register is shown");
    await row(bench, "TIM1.DIER").getByText("4 bits").waitFor();
    await row(bench, "TIM1.DIER").getByRole("button", { name: "DIER", exact: true }).press("Enter");
    await slot.getByRole("list", { name: "Changed" }).getByText("CC1IE 0 → 1").waitFor();
    await slot.getByRole("button", { name: "Compare from now" }).press("Enter");
    await row(bench, "TIM1.DIER").getByText("same").waitFor();
  },
  async commands(bench) {
    const { slot, simulator, told, arm } = bench;
    await group(bench, "Variables");
    await row(bench, "target_rpm").getByRole("button", { name: "target_rpm", exact: true }).press("Enter");
    await slot.getByText(/take control first|arm first/).waitFor();
    await write(bench, "2500.5");
    assert.deepEqual(told("write").at(-1), { name: "target_rpm", value: 2_500.5 });
    await slot.locator(".command-row .done", { hasText: "reached" }).waitFor();
    await until(async () => (await value(bench, "target_rpm")) === "2,500.5", "it is shown");
    await until(() => Number(simulator.read("chip").speed_rpm) > 2_400, "the motor follows");
    simulator.setFault("lying", true);
    await write(bench, "1");
    await until(async () => (await value(bench, "target_rpm")) === "2,500.5", "what it only said is not shown");
    simulator.setFault("lying", false);
    await arm();
    await slot.getByRole("button", { name: "Halt" }).press("Enter");
    await until(() => simulator.read("chip").state === "halted" || told("halt").length > 0, "it was told to halt");
  },
  more: {
    async "what changes when it is read is read on request, and a variable is drawn over time"(bench) {
      const { slot, told } = bench;
      await group(bench, "USART2");
      assert.equal(await value(bench, "USART2.RDR"), "–");
      await slot.getByRole("button", { name: "Read", exact: true }).press("Enter");
      await until(async () => (await value(bench, "USART2.RDR")) === "0x0041", "the letter A was read");
      assert.equal(told("read").length, 1);
      await group(bench, "Variables");
      await slot.getByRole("button", { name: "Draw speed_rpm over time" }).press("Enter");
      await slot
        .getByRole("img", { name: /^speed_rpm of / })
        .or(slot.getByLabel(/^speed_rpm of /))
        .first()
        .waitFor();
      const watched = slot.locator("[data-watched=speed_rpm]");
      await row(bench, "speed_rpm").getByRole("button", { name: "speed_rpm", exact: true }).press("Enter");
      await slot.getByRole("button", { name: "Watch", exact: true }).press("Enter");
      await group(bench, "TIM1");
      await until(async () => /\d/.test(await watched.innerText()), "what is watched stays in sight");
      await row(bench, "TIM1.SR").getByRole("button", { name: "SR", exact: true }).press("Enter");
    },
  },
  picture: {
    async begin(bench) {
      const { slot } = bench;
      await group(bench, "Variables");
      await slot.getByRole("button", { name: "Draw speed_rpm over time" }).press("Enter");
      await row(bench, "target_rpm").getByRole("button", { name: "target_rpm", exact: true }).press("Enter");
      await slot.getByRole("button", { name: "Watch", exact: true }).press("Enter");
      await slot.getByRole("button", { name: "Compare from now" }).press("Enter");
    },
    async act(bench) {
      await group(bench, "Variables");
      await row(bench, "target_rpm").getByRole("button", { name: "target_rpm", exact: true }).press("Enter");
      await write(bench, "2500");
      await until(() => Number(bench.simulator.read("chip").speed_rpm) > 2_400, "the motor follows");
      await group(bench, "TIM1");
      await row(bench, "TIM1.SR").getByRole("button", { name: "SR", exact: true }).press("Enter");
    },
  },
};
