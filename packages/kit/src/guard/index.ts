export { createAddressCheck } from "./addresses.ts";
export { type Connect, createConnect } from "./connect.ts";
export { AddressRefused, createGuard, type Guard, type GuardOptions, PortRefused, type Resolve } from "./guard.ts";
export { portOf } from "./own-addresses.ts";
