import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { Actor } from "../services.ts";
import type { Authority, AuthoritySettings, Order, StopReason } from "./decisions.ts";
import { createMotion } from "./motion.ts";
import { createPace } from "./pace.ts";
import { isHeldBy, type Lease, notHeld, refuseCommand, refuseControl, refuseTaking, type Situation } from "./rules.ts";
import { isStopping } from "./stopping.ts";

const { leaseMs } = DEVICES_LIMITS;

export function createAuthority(settings: () => AuthoritySettings, start: { isStopped: boolean }): Authority {
  let lease: Lease | undefined;
  let isArmed = false;
  let isStopped = start.isStopped;
  let isReady = false;
  const motion = createMotion();
  const pace = createPace();

  const holds = (actor: Actor): boolean => isHeldBy(lease, actor);
  const situation = (): Situation => ({ lease, isArmed, isStopped, isReady });

  function endLease(why: StopReason): Order[] {
    const orders = motion.haltAll(why, lease?.holder);
    lease = undefined;
    isArmed = false;
    return orders;
  }

  /** What time alone brings about. Every call begins with it, so that a late timer changes nothing. */
  function due(nowMs: number): Order[] {
    const orders: Order[] = [];
    if (!settings().latch && motion.isReleased(nowMs)) orders.push(...motion.halt("dead-man", lease?.holder));
    if (lease && nowMs >= lease.untilMs) orders.push(...endLease("lease-over"));
    return [...orders, ...motion.repeats(nowMs)];
  }

  const renewLease = (nowMs: number): void => {
    if (lease) lease.untilMs = nowMs + leaseMs;
  };

  const leases: Pick<Authority, "take" | "renew" | "leave" | "end"> = {
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
        if (isArmed && !motion.isMoving() && !motion.goesOn())
          orders.push({ do: "stop", why: "taken-over", holder: lease.holder });
        orders.push(...endLease("taken-over"));
      }
      lease = { holder: actor, sinceMs: nowMs, untilMs: nowMs + leaseMs };
      return { orders };
    },

    renew(actor, nowMs) {
      const orders = due(nowMs);
      if (!holds(actor)) return { refusal: notHeld(lease), orders };
      renewLease(nowMs);
      return { orders };
    },

    leave(actor, nowMs) {
      const orders = due(nowMs);
      return { orders: holds(actor) ? [...orders, ...endLease("left")] : orders };
    },

    end: (nowMs) => ({ orders: [...due(nowMs), ...endLease("left")] }),
  };

  const moves: Pick<Authority, "arm" | "disarm" | "press" | "release" | "command" | "refused"> = {
    arm(actor, nowMs) {
      const orders = due(nowMs);
      const refusal = refuseControl(situation(), actor);
      if (refusal) return { refusal, orders };
      isArmed = true;
      renewLease(nowMs);
      return { orders };
    },

    disarm(nowMs) {
      const orders = [...due(nowMs), ...motion.haltAll("disarmed", lease?.holder)];
      isArmed = false;
      return { orders };
    },

    press(actor, nowMs) {
      const orders = due(nowMs);
      if (holds(actor)) {
        motion.press(nowMs);
        renewLease(nowMs);
      }
      return { orders };
    },

    release(actor, nowMs) {
      const orders = due(nowMs);
      return { orders: holds(actor) ? [...orders, ...motion.halt("released", lease?.holder)] : orders };
    },

    command(asked, actor, nowMs) {
      const orders = due(nowMs);
      const refusal = refuseCommand(asked, actor, {
        ...{ situation: situation(), limits: settings().limits },
        isInPace: () => pace.take(actor.key, nowMs),
      });
      if (refusal) return { refusal, orders };
      const { declared, goesOn = false, ...setpoint } = asked;
      if (holds(actor)) renewLease(nowMs);
      if (isStopping(declared, asked.name, asked.params)) motion.stopped(asked.capability);
      else if (declared.effect === "moves") motion.move(setpoint, nowMs);
      if (goesOn) motion.goOn();
      return { orders };
    },

    refused(commandId, nowMs) {
      const orders = due(nowMs);
      const halted = motion.isCurrent(commandId) ? motion.halt("device-refused", lease?.holder) : [];
      return { orders: [...orders, ...halted] };
    },
  };

  return {
    ...leases,
    ...moves,
    state: (nowMs) => ({
      ...(lease && nowMs < lease.untilMs ? lease : { holder: undefined, sinceMs: 0, untilMs: 0 }),
      isArmed: isArmed && lease !== undefined && nowMs < lease.untilMs,
      isMoving: motion.isMoving(),
    }),

    stop(nowMs) {
      const orders = due(nowMs);
      isStopped = true;
      isArmed = false;
      motion.forget();
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
      motion.letGo();
      return { orders: [...orders, ...motion.halt("device-lost", lease?.holder)] };
    },

    tick: (nowMs) => ({ orders: due(nowMs) }),

    nextMs() {
      const times = motion.times(settings().latch);
      if (lease) times.push(lease.untilMs);
      return times.length === 0 ? undefined : Math.min(...times);
    },
  };
}
