import { GATEWAY_LIMITS } from "@backplane/contract/gateway";
import type { Bus } from "@backplane/kit/bus";
import { createLocalRegistrations } from "./local-registrations.ts";
import { errorText } from "./messages.ts";
import { decodeStatus, keyOf } from "./registration-status.ts";
import type { TableOptions } from "./registration-table.ts";
import type { Delivery, ProviderAnswer, RegisterOutcome, Registration, Registrations } from "./registrations.ts";
import {
  ANSWER_WITHIN_MS,
  ask,
  channelOf,
  claimOf,
  claimState,
  type Instance,
  ignoreOutage,
  moveHere,
  type Question,
  reclaimAll,
  recordEnd,
} from "./state-claims.ts";

/** Longer than the owner may take to confirm. */
const DELIVERED_WITHIN_MS = GATEWAY_LIMITS.ackWaitMs + ANSWER_WITHIN_MS;

export type SharedOptions = Omit<TableOptions, "onEnd"> & {
  bus: Bus;
  onFault: (error: unknown) => void;
};

/**
 * The registrations of one gateway instance among several. Each state has a claim on the bus that names the instance
 * whose connection holds it; that instance alone decides who wins. Local registrations are served even without the bus.
 */
export async function createSharedRegistrations({
  bus,
  onFault,
  ...options
}: SharedOptions): Promise<Registrations & { close(): void }> {
  const local = createLocalRegistrations({
    ...options,
    onEnd: (registration, ending) => recordEnd(instance, registration, ending),
  });
  const instance: Instance = { id: options.instance, now: options.now, bus, local, onFault };
  const claiming = new WeakMap<Registration, Promise<RegisterOutcome>>();

  await bus.respond(channelOf(instance.id), (question) => answerQuestion(instance, question as Question));
  const stopListening = bus.onStateChange((state) => {
    if (state === "up") reclaimAll(instance).catch((error) => ignoreOutage(instance, error));
  });

  return {
    ...local,
    register(owner, request) {
      const key = keyOf(request.state);
      const verdict = local.judge(owner, request, key);
      if (verdict === "own") {
        const registration = local.find(request.state);
        return (registration && claiming.get(registration)) ?? "registered";
      }
      if (verdict !== "free") return verdict;
      if (owner.data.held.length >= GATEWAY_LIMITS.maxRegistrations) return "too-many-registrations";
      const predecessor = local.find(request.state);
      if (predecessor && predecessor.phase !== "claiming") return moveHere(instance, predecessor, owner, request);
      const previous = local.endedAs(key);
      const registration = local.add(owner, request, key, "claiming");
      const outcome = claimState(instance, registration, request, previous);
      claiming.set(registration, outcome);
      return outcome;
    },
    deliver: (state, provider, answer) =>
      local.deliver(state, provider, answer) ??
      deliverElsewhere(instance, state, provider, answer).catch((error): Delivery => {
        ignoreOutage(instance, error);
        return { outcome: "unavailable" };
      }),
    close: stopListening,
  };
}

async function deliverElsewhere(
  instance: Instance,
  state: string,
  provider: string | undefined,
  answer: ProviderAnswer,
): Promise<Delivery> {
  const { local, bus, now } = instance;
  const key = keyOf(state);
  const found = await bus.claims.read(key);
  if (found === undefined) return local.missing(key);
  const status = decodeStatus(found);
  if (status.phase === "used") return { outcome: "used" };
  if (status.phase !== "live" || status.instance === instance.id) return local.missing(key);
  const question: Question = { ask: "deliver", state, provider, answer };
  const reply = await ask(instance, status.instance, question, DELIVERED_WITHIN_MS);
  if (reply.ok) return reply.value as Delivery;
  if (reply.reason === "unavailable") return { outcome: "unavailable" };
  return { outcome: status.expiresAtMs <= now() ? "expired" : "unknown" };
}

async function answerQuestion(instance: Instance, question: Question): Promise<Delivery | boolean> {
  const { local } = instance;
  const registration = local.find(question.state);
  switch (question.ask) {
    case "deliver": {
      const { state, provider, answer } = question;
      return local.deliver(state, provider, answer) ?? local.missing(keyOf(state));
    }
    case "holds":
      // A used state stays held here until all instances know that it is used: the bus may not know yet.
      return registration !== undefined || local.endedAs(keyOf(question.state))?.phase === "used";
    case "drop":
      if (registration && claimOf(instance, registration) === question.claim) {
        local.end(registration, "taken-over");
        registration.owner.send(errorText("state-taken", question.state));
      }
      return true;
    default:
      return false;
  }
}
