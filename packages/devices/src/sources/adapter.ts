import type { Ack } from "@backplane/contract/devices";
import type { Clock } from "@backplane/kit/clock";
import type { Static, TObject } from "typebox";
import type { Declared, DeviceCommand, Ground } from "../services.ts";

/**
 * A protocol that devices speak besides MQTT. Its folder has a pure `codec.ts`, and an `adapter.ts` with what is asked
 * and told when; sockets, waiting and trying again are the same for all (`source.ts`).
 */
export type Adapter<Settings extends TObject = TObject> = {
  /** As in `backplane device source add KIND`. */
  readonly kind: string;
  /** As people call it. */
  readonly name: string;
  readonly description: string;
  /** The kinds of capabilities that its devices have, by which panels find it. */
  readonly shows: readonly string[];
  /** Checked before `place` and `open` see them. Every property has a title and a description: the page shows them. */
  readonly settings: Settings;
  place(settings: Static<Settings>): Place;
  /**
   * What a page that holds the serial port of a device writes by itself to stop all of it, because nobody may be left to say
   * so. Without it, the protocol is not offered for the serial ports of pages.
   */
  stopBytes?(settings: Static<Settings>): Uint8Array;
  /** There is a connection. Nothing here throws for what a device sent. */
  open(settings: Static<Settings>, wire: Wire, ground: SourceGround): Session;
};

/** Erases the type of the settings, which are checked by then. */
export const defineAdapter = <Settings extends TObject>(adapter: Adapter<Settings>): Adapter =>
  adapter as unknown as Adapter;

/** Where a source is. `localPort`: of UDP, where the device sends first. */
export type Place = { protocol: "tcp" | "udp"; host: string; port: number; localPort?: number };

/** One connection, or one pair of UDP ports. */
export type Wire = {
  /** At once, ahead of what waits elsewhere. What cannot be sent ends the connection. */
  send(bytes: Uint8Array): void;
  /** It does speak the protocol. Without this within `confirmMs` the connection is given up. */
  confirm(): void;
  /** Gives the connection up; it is opened again later. `why` is shown: a sentence with the next step. */
  fail(why: string): void;
  /** Something is wrong with the adapter itself: it is reported, and the connection given up. */
  fault(error: unknown): void;
};

/** What a protocol does over one connection. */
export type Session = {
  take(bytes: Buffer): void;
  /** As `Reader.command`: what moves is told again with the same id. */
  command(device: string, capability: string, command: DeviceCommand, onAccepted?: () => void): Promise<Ack>;
  /** Sent before this returns, ahead of everything else. */
  stop(device: string): Promise<Ack>;
  /** The connection has ended: whoever waits gets an answer. */
  close(): void;
};

/** Where a source puts its devices. They are lost with the connection, and leave with the source. */
export type SourceGround = Omit<Ground, "declare" | "recall"> & {
  /** The name of the source: ids of its devices are this, or begin with it. */
  readonly name: string;
  readonly now: Clock;
  /** The id under which the device is known; undefined: refused, because there are too many devices. */
  declare(declared: Declared): string | undefined;
};
