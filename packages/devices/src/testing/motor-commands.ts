import type { Command } from "@backplane/contract/devices";

const NO_PARAMS = { type: "object", properties: {} };

export const VELOCITY: Command = {
  effect: "moves",
  params: {
    type: "object",
    properties: { velocity_rad_s: { type: "number", minimum: -20, maximum: 20 } },
    required: ["velocity_rad_s"],
  },
};
export const IDLE: Command = { effect: "moves", params: NO_PARAMS };
export const ON: Command = { effect: "powers", params: NO_PARAMS };
export const IDENTIFY: Command = { effect: "none", params: NO_PARAMS };
export const LAMP: Command = {
  effect: "changes",
  params: { type: "object", properties: { on: { type: "boolean" } }, required: ["on"] },
};
