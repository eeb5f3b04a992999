import { GATEWAY_LIMITS } from "@backplane/contract/gateway";
import { createLocalRegistrations, type LocalOptions } from "./local-registrations.ts";
import { keyOf } from "./registration-status.ts";
import type { Registrations } from "./registrations.ts";

/** The registrations of a gateway that is the only one: what this process knows is all there is. */
export function createSingleInstanceRegistrations(options: Omit<LocalOptions, "onEnd">): Registrations {
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
