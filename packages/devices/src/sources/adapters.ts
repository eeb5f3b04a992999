import type { Adapter } from "./adapter.ts";
import { dynamixel } from "./dynamixel/adapter.ts";
import { firmata } from "./firmata/adapter.ts";
import { gdb } from "./gdb/adapter.ts";
import { odrive } from "./odrive/adapter.ts";
import { scpi } from "./scpi/adapter.ts";
import { veDirect } from "./ve-direct/adapter.ts";
import { vesc } from "./vesc/adapter.ts";

/** Every protocol, in the order in which people see them. */
export const ADAPTERS: readonly Adapter[] = [odrive, vesc, dynamixel, firmata, scpi, veDirect, gdb];
