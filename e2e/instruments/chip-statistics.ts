import { reading, type ToldInstrument } from "./instrument.ts";

const chip = (uptime_s: number, resets: number) => ({
  ...{ load_pct: [41, 63], heap_free_bytes: 124_314, heap_min_bytes: 100_557, uptime_s, resets },
  reset_reason: resets > 1 ? "watchdog" : "power on",
  tasks: [
    { name: "control", state: "running", load_pct: 42.2, stack_free_bytes: 1_480 },
    { name: "telemetry", state: "blocked", load_pct: 10.8, stack_free_bytes: 188 },
  ],
  slices: [{ core: 0, task: "control", from_ms: 0, for_ms: 20 }],
  errors: { i2c: 0, can: 3 },
});

export const chipStatistics: ToldInstrument = {
  panel: "chip-statistics",
  simulator: "chip-statistics",
  samples: [chip(900, 1), chip(2.5, 2)],
  state: { windowS: 3_600 },
  async shows({ slot }) {
    await reading(slot, "Core 1").getByText("63%").waitFor();
    await reading(slot, "Heap free").getByText("121.4KiB").waitFor();
    await reading(slot, "Lowest").getByText("98.2KiB").waitFor();
    await slot
      .locator("tr[data-task=telemetry]", { hasText: "10.8 %" })
      .locator(".warn", { hasText: "188 B" })
      .waitFor();
    await slot.getByRole("img", { name: "What the cores did: 1 pieces of 1 tasks" }).waitFor();
    await slot.getByText("Resets in these times 1").waitFor();
    await slot.getByText("i2c errors 0, can errors 3").waitFor();
  },
  picture: { filledS: 60 },
};
