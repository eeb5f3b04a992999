export * from "./devices/control.ts";
export * from "./devices/device.ts";
export * from "./devices/keys.ts";
export * from "./devices/limits.ts";
export * from "./devices/recordings.ts";
export * from "./devices/socket.ts";
export * from "./devices/values.ts";
