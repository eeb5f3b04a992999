import type { AckCode, Command, DeviceSettings } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import type { Actor } from "../services.ts";

/** Why something that moved, or could have moved, is told to stop. */
export type StopReason =
  | "released"
  | "dead-man"
  | "left"
  | "lease-over"
  | "taken-over"
  | "disarmed"
  | "device-lost"
  | "device-refused"
  | "stopped";

/** What a capability was told last while it moves. */
export type Setpoint = { id: string; capability: string; name: string; params: JsonObject };

/** What is to be sent to the device. */
export type Order = { do: "stop"; why: StopReason; holder?: Actor | undefined } | { do: "repeat"; setpoint: Setpoint };

export type Refusal = {
  code: AckCode;
  detail: string;
  holder?: Actor;
  field?: string;
  limits?: [number, number];
};

/** Undefined refusal: it is done, or may be sent. The orders hold in either case, and come before what was asked for. */
export type Decision = { refusal?: Refusal | undefined; orders: Order[] };

export type AuthoritySettings = Pick<DeviceSettings, "latch" | "limits">;

/** `goesOn`: it moves by itself, without somebody who holds the control, such as a drone that returns. */
export type Asked = Setpoint & { declared: Command; goesOn?: boolean };

export type AuthorityState = {
  holder: Actor | undefined;
  sinceMs: number;
  untilMs: number;
  isArmed: boolean;
  isMoving: boolean;
};

/**
 * Who may move one device, and what stops it. Pure: every call has the time, of a clock that never goes back, and the
 * answer says what to send. `tick` must be called at `nextMs`; a call that comes late finds what was due first.
 */
export type Authority = {
  state(nowMs: number): AuthorityState;
  take(actor: Actor, takeOver: boolean, nowMs: number): Decision;
  renew(actor: Actor, nowMs: number): Decision;
  leave(actor: Actor, nowMs: number): Decision;
  /** Whoever has the lease loses it. */
  end(nowMs: number): Decision;
  arm(actor: Actor, nowMs: number): Decision;
  disarm(nowMs: number): Decision;
  press(actor: Actor, nowMs: number): Decision;
  release(actor: Actor, nowMs: number): Decision;
  command(asked: Asked, actor: Actor, nowMs: number): Decision;
  /** The device itself refused a command: what it was told before may still be going on. */
  refused(commandId: string, nowMs: number): Decision;
  stop(nowMs: number): Decision;
  clear(nowMs: number): Decision;
  setReady(isReady: boolean, nowMs: number): Decision;
  tick(nowMs: number): Decision;
  /** When something is due next; undefined: never, unless something happens. */
  nextMs(): number | undefined;
};
