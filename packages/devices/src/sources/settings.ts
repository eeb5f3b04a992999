import { type TProperties, Type } from "typebox";

/** A setting that is not known is refused: it is a typing mistake. */
export const settingsWith = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });

/** Settings that several protocols have. Titles and descriptions are what the page shows. */
export const HOST = Type.String({
  title: "Host",
  description: "Name or address of the device, or of what connects its serial port to the network",
  minLength: 1,
  maxLength: 253,
  pattern: "^[a-zA-Z0-9.:_-]+$",
  examples: ["192.168.1.40"],
});

export const portWith = (usual: number) =>
  Type.Integer({ title: "Port", description: "Its TCP port", minimum: 1, maximum: 65_535, default: usual });
