import { type AckCode, type Command, DEVICES_LIMITS, type DeviceSettings } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import type { Actor } from "../services.ts";
import { checkParams } from "./check-params.ts";
import { isStopping, needsControl } from "./stopping.ts";

const { leaseMs, deadManMs, repeatMs, commandsPerSecond } = DEVICES_LIMITS;

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

type Lease = { holder: Actor; sinceMs: number; untilMs: number };

export function createAuthority(settings: () => AuthoritySettings, start: { isStopped: boolean }): Authority {
  let lease: Lease | undefined;
  let isArmed = false;
  let isStopped = start.isStopped;
  let isReady = false;
  let pressedMs = 0;
  /** What moves, by capability, and when it was told last. */
  const moving = new Map<string, Setpoint & { sentMs: number }>();
  /** Something may move that was told once. It is told to stop when nobody is in control of it. */
  let goesOn = false;
  const pace = createPace();

  const holds = (actor: Actor): boolean => lease?.holder.key === actor.key;

  function halt(why: StopReason): Order[] {
    if (moving.size === 0) return [];
    moving.clear();
    return [{ do: "stop", why, holder: lease?.holder }];
  }

  /** Also what goes on by itself. */
  function haltAll(why: StopReason): Order[] {
    const orders = halt(why);
    const isLeft = goesOn && orders.length === 0;
    goesOn = false;
    return isLeft ? [{ do: "stop", why, holder: lease?.holder }] : orders;
  }

  function endLease(why: StopReason): Order[] {
    const orders = haltAll(why);
    lease = undefined;
    isArmed = false;
    return orders;
  }

  /** What time alone brings about. Every call begins with it, so that a late timer changes nothing. */
  function due(nowMs: number): Order[] {
    const orders: Order[] = [];
    if (!settings().latch && nowMs - pressedMs >= deadManMs) orders.push(...halt("dead-man"));
    if (lease && nowMs >= lease.untilMs) orders.push(...endLease("lease-over"));
    for (const setpoint of moving.values()) {
      if (nowMs - setpoint.sentMs < repeatMs) continue;
      setpoint.sentMs = nowMs;
      const { sentMs, ...told } = setpoint;
      orders.push({ do: "repeat", setpoint: told });
    }
    return orders;
  }

  const renewLease = (nowMs: number): void => {
    if (lease) lease.untilMs = nowMs + leaseMs;
  };

  function notHeld(): Refusal {
    const detail = lease ? `${nameOf(lease.holder)} is in control.` : "Nobody is in control.";
    return { code: "not-held", detail: `${detail} Take control of the device first.`, ...holderOf(lease) };
  }

  const STOPPED: Refusal = {
    code: "stopped",
    detail: "The devices are stopped. Take control of one and clear the stop.",
  };
  const NOT_READY: Refusal = { code: "device-lost", detail: "The device is not connected, or is not ready yet." };

  /** Why this actor may not do what moves or powers something. */
  function refusalOf(actor: Actor): Refusal | undefined {
    if (isStopped) return STOPPED;
    if (!holds(actor)) return notHeld();
    return isReady ? undefined : NOT_READY;
  }

  function judge({ declared, capability, name, params }: Asked, actor: Actor, nowMs: number): Refusal | undefined {
    if (!isStopping(declared, name, params)) {
      if (needsControl(declared)) {
        const refusal = refusalOf(actor);
        if (refusal) return refusal;
        if (!isArmed) return { code: "not-armed", detail: "Arm the device first." };
      } else if (!isReady) {
        return NOT_READY;
      }
      if (!pace.take(actor.key, nowMs)) {
        return { code: "too-many", detail: `At most ${commandsPerSecond} commands per second are accepted.` };
      }
    }
    const { limits } = settings();
    return checkParams(declared.params, params, Object.hasOwn(limits, capability) ? limits[capability] : undefined);
  }

  return {
    state: (nowMs) => ({
      ...(lease && nowMs < lease.untilMs ? lease : { holder: undefined, sinceMs: 0, untilMs: 0 }),
      isArmed: isArmed && lease !== undefined && nowMs < lease.untilMs,
      isMoving: moving.size > 0,
    }),

    take(actor, takeOver, nowMs) {
      const orders = due(nowMs);
      if (lease && holds(actor)) {
        renewLease(nowMs);
        return { orders };
      }
      if (lease) {
        const refusal = refuseTaking(lease.holder, actor, takeOver);
        if (refusal) return { refusal, orders };
        // Also when nothing seems to move: the new holder begins with a device that stands still.
        if (isArmed && moving.size === 0 && !goesOn)
          orders.push({ do: "stop", why: "taken-over", holder: lease.holder });
        orders.push(...endLease("taken-over"));
      }
      lease = { holder: actor, sinceMs: nowMs, untilMs: nowMs + leaseMs };
      return { orders };
    },

    renew(actor, nowMs) {
      const orders = due(nowMs);
      if (!holds(actor)) return { refusal: notHeld(), orders };
      renewLease(nowMs);
      return { orders };
    },

    leave(actor, nowMs) {
      const orders = due(nowMs);
      return { orders: holds(actor) ? [...orders, ...endLease("left")] : orders };
    },

    end: (nowMs) => ({ orders: [...due(nowMs), ...endLease("left")] }),

    arm(actor, nowMs) {
      const orders = due(nowMs);
      const refusal = refusalOf(actor);
      if (refusal) return { refusal, orders };
      isArmed = true;
      renewLease(nowMs);
      return { orders };
    },

    disarm(nowMs) {
      const orders = [...due(nowMs), ...haltAll("disarmed")];
      isArmed = false;
      return { orders };
    },

    press(actor, nowMs) {
      const orders = due(nowMs);
      if (holds(actor)) {
        pressedMs = nowMs;
        renewLease(nowMs);
      }
      return { orders };
    },

    release(actor, nowMs) {
      const orders = due(nowMs);
      return { orders: holds(actor) ? [...orders, ...halt("released")] : orders };
    },

    command(asked, actor, nowMs) {
      const orders = due(nowMs);
      const refusal = judge(asked, actor, nowMs);
      if (refusal) return { refusal, orders };
      const { declared, goesOn: willGoOn = false, ...setpoint } = asked;
      if (holds(actor)) renewLease(nowMs);
      if (isStopping(declared, asked.name, asked.params)) moving.delete(asked.capability);
      else if (declared.effect === "moves") {
        moving.set(asked.capability, { ...setpoint, sentMs: nowMs });
        pressedMs = nowMs;
      }
      if (willGoOn) goesOn = true;
      return { orders };
    },

    refused(commandId, nowMs) {
      const orders = due(nowMs);
      const isCurrent = [...moving.values()].some(({ id }) => id === commandId);
      return { orders: isCurrent ? [...orders, ...halt("device-refused")] : orders };
    },

    stop(nowMs) {
      const orders = due(nowMs);
      isStopped = true;
      isArmed = false;
      goesOn = false;
      moving.clear();
      // Always, and alone: whatever else was due would only be in its way.
      return { orders: [...orders.filter((order) => order.do === "stop"), { do: "stop", why: "stopped" }] };
    },

    clear(nowMs) {
      isStopped = false;
      return { orders: due(nowMs) };
    },

    setReady(ready, nowMs) {
      const orders = due(nowMs);
      isReady = ready;
      if (ready) return { orders };
      isArmed = false;
      goesOn = false;
      return { orders: [...orders, ...halt("device-lost")] };
    },

    tick: (nowMs) => ({ orders: due(nowMs) }),

    nextMs() {
      const times = [...moving.values()].map(({ sentMs }) => sentMs + repeatMs);
      if (moving.size > 0 && !settings().latch) times.push(pressedMs + deadManMs);
      if (lease) times.push(lease.untilMs);
      return times.length === 0 ? undefined : Math.min(...times);
    },
  };
}

const holderOf = (lease: Lease | undefined): { holder?: Actor } => (lease ? { holder: lease.holder } : {});

/** Who it is, for people. */
export const nameOf = ({ user, program }: Pick<Actor, "user" | "program">): string =>
  program === undefined ? user : `${program} (a program of ${user})`;

/** Programs never take over from people: a person at the machine must not lose it to a script. */
function refuseTaking(holder: Actor, actor: Actor, takeOver: boolean): Refusal | undefined {
  const isAllowed = !(actor.isProgram && !holder.isProgram);
  if (takeOver && isAllowed) return undefined;
  const next = isAllowed ? "Take over on purpose, or wait." : "A program cannot take over from a person. Ask them.";
  return { code: "held", detail: `${nameOf(holder)} is in control. ${next}`, holder };
}

/** How many actors are remembered before those are forgotten that could use their whole rate again. */
const MAX_REMEMBERED = 64;

/** The commands per second of each actor (generic cell rate algorithm). */
function createPace() {
  const intervalMs = 1_000 / commandsPerSecond;
  /** When each would be at rest again. */
  const restMs = new Map<string, number>();
  return {
    take(key: string, nowMs: number): boolean {
      if (restMs.size > MAX_REMEMBERED) for (const [one, rest] of restMs) if (rest <= nowMs) restMs.delete(one);
      const fromMs = Math.max(restMs.get(key) ?? 0, nowMs);
      if (fromMs + intervalMs - nowMs > 1_000) return false;
      restMs.set(key, fromMs + intervalMs);
      return true;
    },
  };
}
