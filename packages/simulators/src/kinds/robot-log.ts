import type { SimulatedKind, SimulatedLine } from "../simulator.ts";

const SAYINGS: readonly (readonly [SimulatedLine["level"], string, string])[] = [
  ["info", "planner", "Path to bin 4 is 1.82 m long"],
  ["info", "gripper", "Closed at 12.4 mm, force 8.1 N"],
  ["debug", "arm", "Joint 3 at 41.7°, error 0.02°"],
  ["info", "camera", "Part 0402-17 found, score 0.97"],
  ["warn", "arm", "Joint 2 is 4° above its usual temperature"],
  ["debug", "planner", "Replanned in 14 ms"],
  ["error", "gripper", "Nothing was picked up: trying again"],
  ["info", "conveyor", "Tray 12 of 40 is in place"],
];
const BURST_EVERY_S = 60;
const BURST_LINES = 200;

export const robotLog: SimulatedKind = {
  kind: "log",
  name: "Talking robot",
  model: "pick and place",
  description: "A robot that says what it does, with a burst every minute",
  nodes: {
    cycle: {
      ...{ name: "Cycle", kind: "log", rateHz: 1 },
      fields: { parts: { type: "integer" }, cycle_s: { unit: "s" } },
    },
  },
  create(random) {
    let atS = 0;
    let nextS = 0;
    let burstS = BURST_EVERY_S;
    let parts = 0;
    let waiting: SimulatedLine[] = [];
    const say = (text?: string) => {
      const [level, source, saying] = SAYINGS[Math.floor(random() * SAYINGS.length)] ?? ["info", "arm", "Idle"];
      waiting.push({ level, source, text: text ?? saying });
    };
    return {
      step(seconds) {
        atS += seconds;
        while (nextS <= atS) {
          nextS += 0.2 + random();
          parts += random() < 0.3 ? 1 : 0;
          say();
        }
        if (atS < burstS) return;
        burstS += BURST_EVERY_S;
        for (let i = 1; i <= BURST_LINES; i += 1) say(`Point ${i} of ${BURST_LINES} taught`);
      },
      read: () => ({ parts, cycle_s: Math.round((2.6 + 0.4 * Math.sin(atS / 10)) * 100) / 100 }),
      lines() {
        const said = waiting;
        waiting = [];
        return said;
      },
    };
  },
};
