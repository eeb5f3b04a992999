import type { Effect } from "@backplane/contract/devices";

/** What a command of a kind can harm when the device does not say it. */
const OF_KIND: Readonly<Record<string, Effect>> = {
  ...{ led: "changes", light: "changes", lights: "changes", display: "changes", setting: "changes", choice: "changes" },
  ...{ log: "none", temperature: "none", "temperature-graph": "none", "pressure-temperature": "none" },
  ...{ motor: "moves", servo: "moves", drone: "moves", "speed-controller": "moves", "line-follower": "moves" },
  ...{ cover: "moves", valve: "moves", lock: "moves" },
};

/** Of an unknown kind: somebody has to take it and arm it first. */
export const effectOfKind = (kind: string): Effect =>
  Object.hasOwn(OF_KIND, kind) ? (OF_KIND[kind] as Effect) : "powers";

/** What is powered is switched off by the rules of rails, of which some are kept. */
export const needsStop = (effect: Effect): boolean => effect === "moves";
