import type { Effect } from "@backplane/contract/devices";
import type { JsonData, JsonObject } from "@backplane/contract/panels";

/** A field that a simulated device measures. */
export type SimulatedField = {
  unit?: string;
  min?: number;
  max?: number;
  type?: "number" | "integer" | "boolean" | "string" | "array" | "object";
};

/** `params`: the properties of a JSON Schema; all of them are `required` unless it says which. */
export type SimulatedCommand = {
  effect: Effect;
  params?: Record<string, JsonObject>;
  required?: readonly string[];
};

/** What one capability measures and does. */
export type SimulatedNode = {
  name: string;
  kind: string;
  rateHz: number;
  fields: Record<string, SimulatedField>;
  commands?: Record<string, SimulatedCommand>;
};

/** `isThere`: it is accepted now, and done when this is true; text: why it never will be. `detail` of what is done: what is different from what was asked. */
export type CommandAnswer =
  | { ok: true; detail?: string; isThere?: () => boolean | string }
  | { ok: false; code: string; detail?: string };

export type SimulatedLine = { level: "debug" | "info" | "warn" | "error" | "fatal"; source: string; text: string };

/** A device as physics: it knows no clock and no network. */
export type Physics = {
  /** Goes on by this time. */
  step(seconds: number): void;
  /** What the node measures now. */
  read(node: string): JsonObject;
  /** A node of which nothing is heard, such as a lamp without power. */
  isSilent?(node: string): boolean;
  command?(node: string, name: string, params: JsonObject): CommandAnswer;
  /** What it has said since the last call. */
  lines?(): SimulatedLine[];
  /** What happens around it: a guard is opened, a pin is pulled low. */
  tell?(what: string, value: JsonData): void;
  /** Nobody has sent a setpoint for too long: what moves stops. */
  watchdog?(): void;
};

/** Physics that follows from the time alone. */
export function timed(read: (atS: number) => JsonObject): Physics {
  let atS = 0;
  return {
    step(seconds) {
      atS += seconds;
    },
    read: () => read(atS),
  };
}

/** Numbers from 0 to 1. With the same seed a simulator behaves the same. */
export type Random = () => number;

export type SimulatedKind = {
  /** As in `backplane simulate KIND`. */
  kind: string;
  name: string;
  model: string;
  description: string;
  nodes: Record<string, SimulatedNode>;
  create(random: Random): Physics;
};

/** Mulberry32: small, fast, and the same everywhere. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Noise with a bell curve around 0: the sum of twelve equal ones, less their mean. */
export function noise(random: Random, deviation: number): number {
  let sum = -6;
  for (let i = 0; i < 12; i += 1) sum += random();
  return sum * deviation;
}

/** A sensor gives no more digits than it has. */
export const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
