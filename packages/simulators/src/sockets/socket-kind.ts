import type { JsonData, JsonObject } from "@backplane/contract/panels";
import type { Physics, SimulatedKind } from "../simulator.ts";
import type { Witness } from "../start.ts";

/** A device that others connect to. Its physics is the same as by MQTT; only what it speaks differs. */
export type SocketKind = {
  /** The kind of source that reads it. */
  readonly kind: string;
  readonly name: string;
  readonly description: string;
  /** Where such devices usually listen. */
  readonly port: number;
  /** Of the source that reads it, besides host and port. */
  readonly settings?: JsonObject;
  readonly simulates: SimulatedKind;
  create(body: SocketBody): SocketDevice;
};

export type SocketBody = {
  physics: Physics;
  /** Whether it only pretends to do what it is told. */
  isLying(): boolean;
  note(witness: Omit<Witness, "atMs">): void;
  /** To everybody who is connected, without being asked. */
  say(bytes: Uint8Array): void;
};

export type SocketDevice = {
  /** A connection was made. What is returned takes its bytes and answers them. */
  connect(reply: (bytes: Uint8Array) => void): (bytes: Buffer) => void;
  /** As much time went by: its watchdog looks at the clock. */
  tick?(seconds: number): void;
  /** What happens to it: a supply that sags, a pin that is pulled low. */
  tell?(what: string, value: JsonData): void;
};
