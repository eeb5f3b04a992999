import { GATEWAY_LIMITS } from "@backplane/contract/gateway";
import { callbackText } from "./messages.ts";
import { keyOf } from "./registration-status.ts";
import { createRegistrationTable, type RegistrationTable, type TableOptions } from "./registration-table.ts";
import type { Confirmation, Delivery, ProviderAnswer, Registration, Registrations } from "./registrations.ts";

export type LocalRegistrations = RegistrationTable &
  Omit<Registrations, "register" | "deliver"> & {
    /** Undefined when no connection of this process holds the state. */
    deliver(
      state: string,
      provider: string | undefined,
      answer: ProviderAnswer,
    ): Delivery | Promise<Delivery> | undefined;
    /** The answer to a callback whose state no connection holds. */
    missing(key: string): Delivery;
  };

/** The registrations of this process. Nothing here waits between a check and a change, so there is one winner. */
export function createLocalRegistrations(options: TableOptions): LocalRegistrations {
  const { ackWaitMs } = { ...GATEWAY_LIMITS, ...options.limits };
  const table = createRegistrationTable(options);
  let delivered = 0;
  let delivering = 0;

  /** Sends the callback to an owner that promised to confirm it. */
  async function deliverWithAck(registration: Registration, answer: ProviderAnswer): Promise<Delivery> {
    const confirmation: Confirmation = Promise.withResolvers();
    registration.phase = "delivering";
    registration.confirmation = confirmation;
    delivering += 1;
    const timer = setTimeout(() => {
      confirmation.resolve("silent");
      table.end(registration, "used");
    }, ackWaitMs);
    if (!registration.owner.send(callbackText(registration.state, answer))) table.end(registration, "lost");
    const outcome = await confirmation.promise;
    clearTimeout(timer);
    delivering -= 1;
    if (outcome === "lost") return { outcome: "unknown" };
    delivered += 1;
    return { outcome: outcome === "confirmed" ? "delivered" : "unconfirmed", provider: registration.provider };
  }

  function deliverAtOnce(registration: Registration, answer: ProviderAnswer): Delivery {
    const { state, owner, provider } = registration;
    if (!owner.send(callbackText(state, answer))) {
      table.end(registration, "lost");
      return { outcome: "unknown" };
    }
    delivered += 1;
    table.end(registration, "used");
    return { outcome: "delivered", provider };
  }

  return {
    ...table,
    unregister(owner, state) {
      const registration = table.find(state);
      if (registration?.owner !== owner) return false;
      // The owner already has the callback, so the state is used.
      table.end(registration, registration.phase === "delivering" ? "used" : "unregistered");
      return true;
    },
    confirm(owner, state) {
      const registration = table.find(state);
      if (registration?.owner !== owner || registration.phase !== "delivering") return false;
      table.end(registration, "used");
      return true;
    },
    leave(owner) {
      for (const registration of [...owner.data.held]) table.end(registration, "lost");
    },
    deliver(state, provider, answer) {
      const registration = table.find(state);
      if (registration === undefined || registration.phase === "claiming") return undefined;
      if (registration.confirmation) return outcomeForLater(registration.confirmation);
      if (registration.expiresAtMs <= options.now()) {
        table.expire(registration);
        return { outcome: "expired" };
      }
      if (provider !== undefined && provider !== registration.provider) {
        return { outcome: "wrong-provider", provider: registration.provider };
      }
      return registration.wantsAck ? deliverWithAck(registration, answer) : deliverAtOnce(registration, answer);
    },
    missing(key) {
      const phase = table.endedAs(key)?.phase;
      return { outcome: phase === "used" || phase === "expired" ? phase : "unknown" };
    },
    isDelivering: () => delivering > 0,
    counts: () => ({ ...table.counts(), delivered }),
  };
}

/** Later callbacks wait for the outcome of the first, so that they do not report "used" when its owner was lost. */
async function outcomeForLater({ promise }: Confirmation): Promise<Delivery> {
  return (await promise) === "lost" ? { outcome: "unknown" } : { outcome: "used" };
}

/** The registrations of a gateway that runs as a single instance. */
export function createSingleInstanceRegistrations(options: Omit<TableOptions, "onEnd">): Registrations {
  const local = createLocalRegistrations(options);
  return {
    ...local,
    register(owner, request) {
      const key = keyOf(request.state);
      const verdict = local.judge(owner, request, key);
      if (verdict === "own") return "registered";
      if (verdict !== "free") return verdict;
      if (owner.data.held.length >= GATEWAY_LIMITS.maxRegistrations) return "too-many-registrations";
      local.add(owner, request, key, "waiting");
      return "registered";
    },
    deliver: (state, provider, answer) => local.deliver(state, provider, answer) ?? local.missing(keyOf(state)),
  };
}
