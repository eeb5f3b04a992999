import { type Static, Type } from "typebox";
import { JSON_OBJECT, type JsonObject } from "../panels/common.ts";
import { DEVICE_ID } from "./device.ts";

/** A protocol by which Backplane connects to devices. `settings`: a JSON Schema of an object. */
export const SourceKind = Type.Object({
  kind: Type.String(),
  name: Type.String(),
  description: Type.String(),
  shows: Type.Array(Type.String({ description: "The kinds of capabilities that its devices have" })),
  settings: JSON_OBJECT,
});
export type SourceKind = Omit<Static<typeof SourceKind>, "settings"> & { settings: JsonObject };

/** Protocols that are also spoken over the serial ports of pages, by Web Serial. `baudRate`: of its UART. */
export const SERIAL_KINDS: readonly { kind: string; name: string; shows: readonly string[]; baudRate: number }[] = [
  { kind: "odrive", name: "ODrive", shows: ["motor"], baudRate: 115_200 },
];

/** `refused`: it cannot be connected, and `reason` says why. It is tried again and again. */
export const SourceState = Type.Enum(["connecting", "connected", "refused"]);
export type SourceState = Static<typeof SourceState>;

/** Devices that Backplane connects to. `devices`: those that it has found. */
export const Source = Type.Object({
  name: DEVICE_ID,
  kind: Type.String(),
  settings: JSON_OBJECT,
  state: SourceState,
  reason: Type.Optional(Type.String()),
  devices: Type.Array(DEVICE_ID),
});
export type Source = Omit<Static<typeof Source>, "settings"> & { settings: JsonObject };

/** GET …/devices/sources */
export const Sources = Type.Object({ sources: Type.Array(Source), kinds: Type.Array(SourceKind) });
export type Sources = { sources: Source[]; kinds: SourceKind[] };

/** POST …/devices/sources. Devices are named after their source. */
export const NewSource = Type.Object({
  name: DEVICE_ID,
  kind: Type.String({ minLength: 1, maxLength: 64 }),
  settings: Type.Optional(JSON_OBJECT),
});
export type NewSource = { name: string; kind: string; settings?: JsonObject };

/** PUT …/devices/sources/{name}: settings that are not given stay. */
export const ChangeSource = Type.Object({ settings: JSON_OBJECT });
export type ChangeSource = { settings: JsonObject };
