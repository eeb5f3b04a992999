import { type Static, Type } from "typebox";
import { DEVICE_ID } from "./device.ts";

/** A device that can be simulated. `shows`: the kinds of its capabilities, by which panels find it. */
export const SimulatorKind = Type.Object({
  kind: Type.String(),
  name: Type.String(),
  description: Type.String(),
  shows: Type.Array(Type.String()),
});
export type SimulatorKind = Static<typeof SimulatorKind>;

/** A simulator that runs in the server. It ends with the last page of the workspace, and at `until` at the latest. */
export const RunningSimulator = Type.Object({
  device: DEVICE_ID,
  kind: Type.String(),
  until: Type.String({ format: "date-time" }),
});
export type RunningSimulator = Static<typeof RunningSimulator>;

/** GET …/devices/simulators. `kinds` is empty where the operator has switched simulators off. */
export const Simulators = Type.Object({
  kinds: Type.Array(SimulatorKind),
  running: Type.Array(RunningSimulator),
});
export type Simulators = Static<typeof Simulators>;

/** POST …/devices/simulators */
export const NewSimulator = Type.Object({ kind: Type.String({ minLength: 1, maxLength: 64 }) });
export type NewSimulator = Static<typeof NewSimulator>;
