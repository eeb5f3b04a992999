import type { RunningSimulator } from "@backplane/simulators";
import { pressIfThere } from "../support/browser.ts";
import { until } from "../support/processes.ts";
import type { InstrumentBench, Shown } from "./instrument.ts";

/** Longer than anything that is held takes. */
const AGAIN_AFTER_MS = 30_000;

/** A panel that controls a simulator, by keyboard. */
export function benchOf({ page, slot }: Shown, simulator: RunningSimulator): InstrumentBench {
  const button = (name: string) => slot.getByRole("button", { name, exact: true });
  const press = (name: string) => pressIfThere(button(name));
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
      // On a busy machine control, which lasts 5 s, may end before it is used, and a movement may be cut short: then again.
      let beganMs = Date.now();
      await until(async () => {
        if (await isThere()) return true;
        const isHeld = (await slot.locator(".hold-button.held").count()) > 0;
        if (isHeld && Date.now() - beganMs < AGAIN_AFTER_MS) return false;
        await release();
        await arm();
        await held.focus();
        beganMs = Date.now();
        await page.keyboard.down(" ");
        return false;
      }, what);
    },
  };
}
