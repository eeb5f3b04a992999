import { dynamixelSimulator } from "./dynamixel.ts";
import { firmataSimulator } from "./firmata.ts";
import { gdbSimulator } from "./gdb.ts";
import { odriveSimulator } from "./odrive.ts";
import { scpiSimulator } from "./scpi.ts";
import type { SocketKind } from "./socket-kind.ts";
import { veDirectSimulator } from "./ve-direct.ts";
import { vescSimulator } from "./vesc.ts";

/** Devices that are reached by a source, in the order in which `backplane simulate --help` lists them. */
export const SOCKET_KINDS: readonly SocketKind[] = [
  odriveSimulator,
  vescSimulator,
  dynamixelSimulator,
  firmataSimulator,
  scpiSimulator,
  veDirectSimulator,
  gdbSimulator,
];

export const findSocketKind = (kind: string): SocketKind | undefined =>
  SOCKET_KINDS.find((known) => known.kind === kind);
