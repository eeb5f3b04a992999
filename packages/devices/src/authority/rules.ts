import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { Actor } from "../services.ts";
import { checkParams } from "./check-params.ts";
import type { Asked, AuthoritySettings, Refusal } from "./decisions.ts";
import { isStopping, needsControl } from "./stopping.ts";

export type Lease = { holder: Actor; sinceMs: number; untilMs: number };

/** What the rules ask about a device. */
export type Situation = {
  lease: Lease | undefined;
  isArmed: boolean;
  isStopped: boolean;
  isReady: boolean;
};

const STOPPED: Refusal = {
  code: "stopped",
  detail: "The devices are stopped. Take control of one and clear the stop.",
};
const NOT_READY: Refusal = { code: "device-lost", detail: "The device is not connected, or is not ready yet." };

/** Who it is, for people. */
export const nameOf = ({ user, program }: Pick<Actor, "user" | "program">): string =>
  program === undefined ? user : `${program} (a program of ${user})`;

export const isHeldBy = (lease: Lease | undefined, actor: Actor): boolean => lease?.holder.key === actor.key;

export function notHeld(lease: Lease | undefined): Refusal {
  const detail = lease ? `${nameOf(lease.holder)} is in control.` : "Nobody is in control.";
  const holder = lease ? { holder: lease.holder } : {};
  return { code: "not-held", detail: `${detail} Take control of the device first.`, ...holder };
}

/** Programs never take over from people: a person at the machine must not lose it to a script. */
export function refuseTaking(holder: Actor, actor: Actor, takeOver: boolean): Refusal | undefined {
  const isAllowed = !(actor.isProgram && !holder.isProgram);
  if (takeOver && isAllowed) return undefined;
  const next = isAllowed ? "Take over on purpose, or wait." : "A program cannot take over from a person. Ask them.";
  return { code: "held", detail: `${nameOf(holder)} is in control. ${next}`, holder };
}

/** Why this actor may not do what moves or powers something. */
export function refuseControl({ lease, isStopped, isReady }: Situation, actor: Actor): Refusal | undefined {
  if (isStopped) return STOPPED;
  if (!isHeldBy(lease, actor)) return notHeld(lease);
  return isReady ? undefined : NOT_READY;
}

/** Why this command is not sent. What stops is refused only for its parameters. */
export function refuseCommand(
  { declared, capability, name, params }: Asked,
  actor: Actor,
  { situation, limits, isInPace }: { situation: Situation; limits: AuthoritySettings["limits"]; isInPace(): boolean },
): Refusal | undefined {
  if (!isStopping(declared, name, params)) {
    if (needsControl(declared)) {
      const refusal = refuseControl(situation, actor);
      if (refusal) return refusal;
      if (!situation.isArmed) return { code: "not-armed", detail: "Arm the device first." };
    } else if (!situation.isReady) {
      return NOT_READY;
    }
    if (!isInPace()) {
      const { commandsPerSecond } = DEVICES_LIMITS;
      return { code: "too-many", detail: `At most ${commandsPerSecond} commands per second are accepted.` };
    }
  }
  return checkParams(declared.params, params, Object.hasOwn(limits, capability) ? limits[capability] : undefined);
}
