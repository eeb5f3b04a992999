import assert from "node:assert/strict";
import { until } from "../support/processes.ts";
import type { InstrumentBench, SimulatedInstrument } from "./instrument.ts";

const target = ({ slot }: InstrumentBench, name: string) => slot.getByRole("slider", { name: `Target of ${name}` });
const hold = ({ slot }: InstrumentBench) => slot.locator(".hold-button", { hasText: /Hold to move|Held/ });

/** One where the arm is, and one with the elbow at its other end. */
async function makeKeyFrames(bench: InstrumentBench): Promise<void> {
  const { slot, page, simulator, holdUntil, release } = bench;
  const add = slot.getByRole("button", { name: "Add key frame" });
  await add.press("Enter");
  await slot.getByRole("button", { name: "Pose 1", exact: true }).waitFor();
  await target(bench, "Elbow").focus();
  await page.keyboard.press("Home");
  await holdUntil(
    hold(bench),
    () => Number(simulator.read("servos").elbow_deg) < -119,
    "the elbow is at the other end",
  );
  await release();
  await until(
    async () => (await slot.locator("[data-field=elbow_deg]").innerText()).startsWith("−"),
    "the page shows it",
  );
  await add.press("Enter");
  await slot.getByRole("button", { name: "Pose 2", exact: true }).waitFor();
}

export const servo: SimulatedInstrument = {
  panel: "servo",
  simulator: "servo",
  async shows({ slot, simulator }) {
    const elbow = slot.locator("[data-field=elbow_deg]");
    await until(async () => {
      const shown = Number.parseFloat((await elbow.innerText()).replace("−", "-"));
      return Math.abs(shown - Number(simulator.read("servos").elbow_deg)) < 0.5;
    }, "the angle of the elbow is shown");
    // 120 mm at 62 − 30°, then 110 mm at 84° and 60 mm at −28° to the link before.
    await slot.getByRole("img", { name: /^The arm from the side: 22[0-9] mm forward, 11[0-9] mm up$/ }).waitFor();
  },
  async commands(bench) {
    const { slot, page, simulator, told, holdUntil, release } = bench;
    await target(bench, "Elbow").focus();
    await page.keyboard.press("End");
    assert.deepEqual(told("pose"), [], "nothing is sent until it is held");
    const angle = () => Number(simulator.read("servos").elbow_deg);
    await holdUntil(hold(bench), () => angle() > 119, "the elbow is there");
    assert.deepEqual(told("pose").at(-1), { elbow_deg: 120, over_s: 1 });
    await slot.locator(".command-row .done", { hasText: "reached" }).waitFor();
    await release();
    await until(() => told("stop").length > 0, "it was told to stop");
  },
  more: {
    async "key frames are played while the button is held, and stop where it is released"(bench) {
      const { slot, simulator, told, holdUntil, release } = bench;
      await makeKeyFrames(bench);
      const play = slot.locator(".servo-sequence .hold-button");
      // Slow enough to be seen on its way.
      const time = slot.getByLabel("Time of Pose 2 in seconds");
      await time.fill("6");
      await time.blur();
      let [wasThere, isOnItsWay] = [false, false];
      const watching = setInterval(() => {
        const deg = Number(simulator.read("servos").elbow_deg);
        wasThere ||= deg > 100;
        isOnItsWay ||= wasThere && deg < 60;
      }, 10);
      await holdUntil(play, () => isOnItsWay, "it was at the first key frame, and goes to the second one").finally(() =>
        clearInterval(watching),
      );
      const stops = told("stop").length;
      await release();
      await until(() => told("stop").length > stops, "it was told to stop");
    },
  },
  picture: { act: makeKeyFrames },
  refuses: {
    ...{ capability: "servos", field: "elbow_deg", limits: [-10, 10] },
    async act(bench) {
      const { slot, page, holdUntil } = bench;
      await target(bench, "Elbow").focus();
      await page.keyboard.press("End");
      const isRefused = async () => (await slot.locator(".command-row", { hasText: "at most 10" }).count()) > 0;
      await holdUntil(hold(bench), isRefused, "it is refused");
    },
  },
  moves: {
    async start(bench) {
      await target(bench, "Base turn").focus();
      await bench.page.keyboard.press("Home");
      await bench.holdUntil(hold(bench), () => Number(bench.simulator.read("servos").base_turn_deg) < 30, "it turns");
    },
    isMoving: (simulator) => Number(simulator.read("servos").base_turn_target_deg) !== 34,
    stop: "stop",
  },
};
