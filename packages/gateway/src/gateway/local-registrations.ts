import { ENDED_MEMORY_MS, GATEWAY_LIMITS, REGISTRATION_LIFE_MS } from "@backplane/contract/gateway";
import type { Clock } from "@backplane/kit/clock";
import { createEndedStates } from "./ended-states.ts";
import { callbackText, errorText } from "./messages.ts";
import { judge, type Standing, type Verdict } from "./registration-status.ts";
import type {
  Confirmation,
  Delivery,
  Ending,
  Owner,
  ProviderAnswer,
  RegisterRequest,
  Registration,
  Registrations,
} from "./registrations.ts";

export type LocalRegistrations = Omit<Registrations, "register" | "deliver"> & {
  judge(owner: Owner, request: RegisterRequest, key: string): Verdict;
  /** How the state ended here, as far as that is remembered. */
  endedAs(key: string): Standing | undefined;
  /** All that ended here, as far as it is remembered. */
  ended(): Iterable<[key: string, standing: Standing]>;
  find(state: string): Registration | undefined;
  /** Puts a state in force that was judged free. */
  add(owner: Owner, request: RegisterRequest, key: string, phase: "claiming" | "waiting"): Registration;
  end(registration: Registration, ending: Ending): void;
  /** Undefined when nobody waits here with this state. */
  deliver(
    state: string,
    provider: string | undefined,
    answer: ProviderAnswer,
  ): Delivery | Promise<Delivery> | undefined;
  /** What a callback for a state that nobody waits with is told. */
  missing(key: string): Delivery;
  all(): Iterable<Registration>;
  standingOf(registration: Registration): Standing;
};

export type LocalOptions = {
  instance: string;
  now: Clock;
  limits?: Partial<Pick<typeof GATEWAY_LIMITS, "ackWaitMs" | "maxEndedRemembered">>;
  /** Hears of every end, after the fact. */
  onEnd?: (registration: Registration, ending: Ending) => void;
};

/** The registrations of this process. Nothing here waits between look and change: that is what makes one winner. */
export function createLocalRegistrations({ instance, now, limits, onEnd }: LocalOptions): LocalRegistrations {
  const { ackWaitMs, maxEndedRemembered } = { ...GATEWAY_LIMITS, ...limits };
  // In the order of their expiry, since all live equally long.
  const live = new Map<string, Registration>();
  const ended = createEndedStates({ now, memoryMs: ENDED_MEMORY_MS, maxRemembered: maxEndedRemembered });
  const counts = { delivered: 0, expired: 0 };
  let added = 0;
  let delivering = 0;

  const standingOf = ({ owner, serial, expiresAtMs, challenge }: Registration): Standing => ({
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
    if (registration.phase === "delivering") delivering -= 1;
    const { held } = owner.data;
    held.splice(held.indexOf(registration), 1);
    if (held.length === 0) owner.data.emptySinceMs = now();
    const isRemembered = ending === "used" || ending === "expired" || (ending === "lost" && challenge !== undefined);
    if (isRemembered) ended.add(key, { ...standingOf(registration), phase: ending });
    registration.confirmation?.resolve(ending === "used" ? "confirmed" : "lost");
    onEnd?.(registration, ending);
  }

  function expire(registration: Registration): void {
    counts.expired += 1;
    end(registration, "expired");
    registration.owner.send(errorText("state-expired", registration.state));
  }

  /** Later callbacks wait for what becomes of the first: if its owner is lost, none of them was told a lie. */
  async function outcomeForLater({ promise }: Confirmation): Promise<Delivery> {
    return (await promise) === "lost" ? { outcome: "unknown" } : { outcome: "used" };
  }

  async function outcomeForFirst(registration: Registration, { promise, resolve }: Confirmation): Promise<Delivery> {
    const { provider } = registration;
    const timer = setTimeout(() => {
      resolve("silent");
      end(registration, "used");
    }, ackWaitMs);
    const how = await promise;
    clearTimeout(timer);
    if (how === "lost") return { outcome: "unknown" };
    counts.delivered += 1;
    return { outcome: how === "confirmed" ? "delivered" : "unconfirmed", provider };
  }

  return {
    judge(owner, { state, secret }, key) {
      const registration = live.get(state);
      const standing = registration ? standingOf(registration) : ended.get(key);
      // What is with its owner is not free, even if its time runs out meanwhile: it ends by itself in a moment.
      const atMs = registration?.phase === "delivering" ? registration.expiresAtMs - 1 : now();
      return judge(standing, { instance, owner: owner.data.id, secret }, atMs);
    },
    endedAs: (key) => ended.get(key),
    ended: () => ended.entries(),
    find: (state) => live.get(state),
    standingOf,

    add(owner, { state, provider, challenge, ack = false }, key, phase) {
      const before = live.get(state);
      if (before && before.phase !== "delivering" && before.expiresAtMs <= now()) expire(before);
      else if (before) {
        end(before, "taken-over");
        if (before.owner !== owner) before.owner.send(errorText("state-taken", state));
      }
      ended.forget(key);
      const expiresAtMs = now() + REGISTRATION_LIFE_MS;
      added += 1;
      const registration = { state, serial: added, key, provider, challenge, wantsAck: ack, expiresAtMs, owner, phase };
      live.set(state, registration);
      owner.data.held.push(registration);
      return registration;
    },
    end,

    unregister(owner, state) {
      const registration = live.get(state);
      if (registration?.owner !== owner) return false;
      // Who leaves with the callback in hand has had it.
      end(registration, registration.phase === "delivering" ? "used" : "unregistered");
      return true;
    },
    confirm(owner, state) {
      const registration = live.get(state);
      if (registration?.owner !== owner || registration.phase !== "delivering") return false;
      end(registration, "used");
      return true;
    },
    leave(owner) {
      for (const registration of [...owner.data.held]) end(registration, "lost");
    },

    deliver(state, provider, answer) {
      const registration = live.get(state);
      if (registration === undefined || registration.phase === "claiming") return undefined;
      if (registration.confirmation) return outcomeForLater(registration.confirmation);
      if (registration.expiresAtMs <= now()) {
        expire(registration);
        return { outcome: "expired" };
      }
      if (provider !== undefined && provider !== registration.provider) {
        return { outcome: "wrong-provider", provider: registration.provider };
      }
      if (registration.wantsAck) {
        registration.phase = "delivering";
        delivering += 1;
        registration.confirmation = Promise.withResolvers();
      }
      if (!registration.owner.send(callbackText(state, answer))) {
        end(registration, "lost");
        return { outcome: "unknown" };
      }
      if (registration.confirmation) return outcomeForFirst(registration, registration.confirmation);
      counts.delivered += 1;
      end(registration, "used");
      return { outcome: "delivered", provider: registration.provider };
    },
    missing(key) {
      const phase = ended.get(key)?.phase;
      return { outcome: phase === "used" || phase === "expired" ? phase : "unknown" };
    },

    sweep() {
      const nowMs = now();
      for (const registration of live.values()) {
        if (registration.expiresAtMs > nowMs) break;
        if (registration.phase !== "delivering") expire(registration);
      }
    },
    isDelivering: () => delivering > 0,
    all: () => live.values(),
    counts: () => ({ pending: live.size, ...counts }),
  };
}
