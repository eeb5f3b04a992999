import { ENDED_MEMORY_MS, GATEWAY_LIMITS, REGISTRATION_LIFE_MS } from "@backplane/contract/gateway";
import { BoundedMap } from "@backplane/kit/bounded-map";
import type { Clock } from "@backplane/kit/clock";
import { errorText } from "./messages.ts";
import { judge, type RegistrationStatus, type Verdict } from "./registration-status.ts";
import type { Ending, Owner, RegisterRequest, Registration } from "./registrations.ts";

export type RegistrationTable = {
  judge(owner: Owner, request: RegisterRequest, key: string): Verdict;
  /** Registers a state that was judged free. Another connection that held it is informed and loses it. */
  add(owner: Owner, request: RegisterRequest, key: string, phase: "claiming" | "waiting"): Registration;
  find(state: string): Registration | undefined;
  all(): Iterable<Registration>;
  end(registration: Registration, ending: Ending): void;
  expire(registration: Registration): void;
  /** Expires every registration that is past its time. */
  sweep(): void;
  statusOf(registration: Registration): RegistrationStatus;
  /** How the state ended here, while that is remembered. */
  endedAs(key: string): RegistrationStatus | undefined;
  ended(): Iterable<[key: string, status: RegistrationStatus]>;
  counts(): { pending: number; expired: number };
};

export type TableOptions = {
  instance: string;
  now: Clock;
  limits?: Partial<Pick<typeof GATEWAY_LIMITS, "ackWaitMs" | "maxEndedRemembered">>;
  /** Called after each end. */
  onEnd?: (registration: Registration, ending: Ending) => void;
};

/** The live registrations of this process, and how the ones before them ended. */
export function createRegistrationTable({ instance, now, limits, onEnd }: TableOptions): RegistrationTable {
  const { maxEndedRemembered } = { ...GATEWAY_LIMITS, ...limits };
  // In the order of their expiry, since all live equally long.
  const live = new Map<string, Registration>();
  const ended = new BoundedMap<string, RegistrationStatus>({
    maxEntries: maxEndedRemembered,
    maxAgeMs: ENDED_MEMORY_MS,
    now,
  });
  let added = 0;
  let expired = 0;

  const statusOf = ({ owner, serial, expiresAtMs, challenge }: Registration): RegistrationStatus => ({
    phase: "live",
    instance,
    owner: owner.data.id,
    serial,
    expiresAtMs,
    challenge,
  });

  function end(registration: Registration, ending: Ending): void {
    const { state, key, owner, challenge } = registration;
    live.delete(state);
    const { held } = owner.data;
    held.splice(held.indexOf(registration), 1);
    if (held.length === 0) owner.data.emptySinceMs = now();
    const isRemembered = ending === "used" || ending === "expired" || (ending === "lost" && challenge !== undefined);
    if (isRemembered) ended.set(key, { ...statusOf(registration), phase: ending });
    registration.confirmation?.resolve(ending === "used" ? "confirmed" : "lost");
    onEnd?.(registration, ending);
  }

  function expire(registration: Registration): void {
    expired += 1;
    end(registration, "expired");
    registration.owner.send(errorText("state-expired", registration.state));
  }

  /** Ends the registration of the same state that a new one replaces. */
  function replace(predecessor: Registration, owner: Owner): void {
    if (predecessor.phase !== "delivering" && predecessor.expiresAtMs <= now()) expire(predecessor);
    else {
      end(predecessor, "taken-over");
      if (predecessor.owner !== owner) predecessor.owner.send(errorText("state-taken", predecessor.state));
    }
  }

  return {
    judge(owner, { state, secret }, key) {
      const registration = live.get(state);
      const status = registration ? statusOf(registration) : ended.get(key);
      // While the owner has the callback, the state is not free, even past its time: it ends in a moment.
      const atMs = registration?.phase === "delivering" ? registration.expiresAtMs - 1 : now();
      return judge(status, { instance, owner: owner.data.id, secret }, atMs);
    },
    add(owner, { state, provider, challenge, ack = false }, key, phase) {
      const predecessor = live.get(state);
      if (predecessor) replace(predecessor, owner);
      ended.delete(key);
      const expiresAtMs = now() + REGISTRATION_LIFE_MS;
      added += 1;
      const registration = { state, serial: added, key, provider, challenge, wantsAck: ack, expiresAtMs, owner, phase };
      live.set(state, registration);
      owner.data.held.push(registration);
      return registration;
    },
    find: (state) => live.get(state),
    all: () => live.values(),
    end,
    expire,
    sweep() {
      const nowMs = now();
      for (const registration of live.values()) {
        if (registration.expiresAtMs > nowMs) break;
        if (registration.phase !== "delivering") expire(registration);
      }
    },
    statusOf,
    endedAs: (key) => ended.get(key),
    ended: () => ended.entries(),
    counts: () => ({ pending: live.size, expired }),
  };
}
