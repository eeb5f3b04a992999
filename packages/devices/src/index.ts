export { type DevicesArea, openDevicesArea } from "./area.ts";
export { migrations } from "./migrations.ts";
export type { Dependencies } from "./services.ts";
export type { DevicesTables } from "./tables.ts";
