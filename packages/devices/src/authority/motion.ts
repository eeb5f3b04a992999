import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { Actor } from "../services.ts";
import type { Order, Setpoint, StopReason } from "./decisions.ts";

const { deadManMs, repeatMs } = DEVICES_LIMITS;

/** What of a device moves, and what has to be sent because of it. */
export function createMotion() {
  let pressedMs = 0;
  /** What moves, by capability, and when it was told last. */
  const moving = new Map<string, Setpoint & { sentMs: number }>();
  /** Something may move that was told once. It is told to stop when nobody is in control of it. */
  let goesOn = false;

  function halt(why: StopReason, holder: Actor | undefined): Order[] {
    if (moving.size === 0) return [];
    moving.clear();
    return [{ do: "stop", why, holder }];
  }

  return {
    isMoving: (): boolean => moving.size > 0,
    goesOn: (): boolean => goesOn,
    press(nowMs: number): void {
      pressedMs = nowMs;
    },
    move(setpoint: Setpoint, nowMs: number): void {
      moving.set(setpoint.capability, { ...setpoint, sentMs: nowMs });
      pressedMs = nowMs;
    },
    goOn(): void {
      goesOn = true;
    },
    stopped: (capability: string): void => void moving.delete(capability),
    isCurrent: (commandId: string): boolean => moving.values().some(({ id }) => id === commandId),
    halt,
    /** Also what goes on by itself. */
    haltAll(why: StopReason, holder: Actor | undefined): Order[] {
      const orders = halt(why, holder);
      const isLeft = goesOn && orders.length === 0;
      goesOn = false;
      return isLeft ? [{ do: "stop", why, holder }] : orders;
    },
    /** Nothing is told: whoever calls this does. */
    forget(): void {
      goesOn = false;
      moving.clear();
    },
    /** What goes on by itself is no longer ours. */
    letGo(): void {
      goesOn = false;
    },
    isReleased: (nowMs: number): boolean => nowMs - pressedMs >= deadManMs,
    /** What keeps it moving, and was not told for a while. */
    repeats(nowMs: number): Order[] {
      const orders: Order[] = [];
      for (const setpoint of moving.values()) {
        if (nowMs - setpoint.sentMs < repeatMs) continue;
        setpoint.sentMs = nowMs;
        const { sentMs, ...told } = setpoint;
        orders.push({ do: "repeat", setpoint: told });
      }
      return orders;
    },
    /** When something is due. `isLatched`: it goes on without a press. */
    times(isLatched: boolean): number[] {
      const times = Array.from(moving.values(), ({ sentMs }) => sentMs + repeatMs);
      if (moving.size > 0 && !isLatched) times.push(pressedMs + deadManMs);
      return times;
    },
  };
}
