import { ENDED_MEMORY_MS, GATEWAY_LIMITS, REGISTRATION_LIFE_MS } from "@backplane/contract/gateway";
import { type Bus, BusFault } from "@backplane/kit/bus";
import { createLocalRegistrations, type LocalOptions } from "./local-registrations.ts";
import { errorText } from "./messages.ts";
import { decodeStanding, encodeStanding, judge, keyOf, type Standing } from "./registration-status.ts";
import type {
  Delivery,
  Ending,
  Owner,
  ProviderAnswer,
  RegisterOutcome,
  RegisterRequest,
  Registration,
  Registrations,
} from "./registrations.ts";

/** What instances ask each other. Codes pass by here and are kept nowhere. */
type Question =
  | { ask: "deliver"; state: string; provider: string | undefined; answer: ProviderAnswer }
  /** Does a connection of yours wait with this state? */
  | { ask: "holds"; state: string }
  /** Its owner has proven itself on another connection: end it. */
  | { ask: "drop"; state: string; claim: string };

/** A claim outlives its registration by the time that its end is remembered. */
const CLAIM_LIFE_MS = REGISTRATION_LIFE_MS + ENDED_MEMORY_MS;
/** An instance that does not answer a question about itself by then is taken for gone. */
const ANSWER_WITHIN_MS = 2_000;
/** Longer than the owner may take to confirm. */
const DELIVERED_WITHIN_MS = GATEWAY_LIMITS.ackWaitMs + ANSWER_WITHIN_MS;
/** A claim can change hands between looking and taking; after this many times somebody else has it. */
const CLAIM_ATTEMPTS = 3;
const RECLAIMED_AT_ONCE = 100;

export type SharedOptions = Omit<LocalOptions, "onEnd"> & {
  bus: Bus;
  onFault: (error: unknown) => void;
};

/**
 * The registrations of one gateway among many. Each state is a claim on the bus that says which instance its connection
 * is at; that instance alone decides who wins. What waits here is served also while the bus is away.
 */
export async function createSharedRegistrations({
  bus,
  onFault,
  ...options
}: SharedOptions): Promise<Registrations & { close(): void }> {
  const { instance, now } = options;
  const { claims } = bus;
  const local = createLocalRegistrations({ ...options, onEnd: recordEnd });
  const channelOf = (of: string) => `gateway:${of}`;
  const claimOf = (registration: Registration) => encodeStanding(local.standingOf(registration));

  function recordEnd(registration: Registration, ending: Ending): void {
    // Still being claimed: whoever claims it sees that it has ended. Taken over: its successor changes the claim.
    if (registration.phase === "claiming" || ending === "taken-over" || ending === "expired") return;
    const { key, challenge, expiresAtMs } = registration;
    const standing = local.standingOf(registration);
    const claim = encodeStanding(standing);
    const turnInto = (phase: Standing["phase"], lifeMs: number) =>
      claims.exchange(key, claim, encodeStanding({ ...standing, phase }), lifeMs);
    const recorded =
      ending === "used"
        ? turnInto("used", ENDED_MEMORY_MS)
        : ending === "lost" && challenge !== undefined
          ? turnInto("lost", Math.max(1, expiresAtMs - now()))
          : claims.release(key, claim);
    // While the bus is away the claim goes on naming this instance, which remembers the end itself.
    recorded.catch(ignoreOutage);
  }

  function ignoreOutage(error: unknown): void {
    if (!(error instanceof BusFault)) onFault(error);
  }

  const ask = (of: string, question: Question, timeoutMs: number) =>
    bus.request(channelOf(of), question, { timeoutMs });

  /** A live claim of another instance stands in the way. Does it hold? */
  async function ownerIsThere(standing: Standing, state: string): Promise<boolean> {
    const reply = await ask(standing.instance, { ask: "holds", state }, ANSWER_WITHIN_MS);
    if (reply.ok) return reply.value === true;
    if (reply.reason === "unavailable") throw new BusFault("unavailable", "the owner of a state cannot be asked");
    return reply.reason !== "no-responder";
  }

  async function claim(registration: Registration, request: RegisterRequest): Promise<RegisterOutcome> {
    const { key, state, owner } = registration;
    const wanted = claimOf(registration);
    const claimant = { instance, owner: owner.data.id, secret: request.secret };
    // One that has ended meanwhile must not touch what came after it.
    const isOver = () => local.find(state) !== registration;
    for (let attempt = 0; attempt < CLAIM_ATTEMPTS; attempt += 1) {
      if (isOver()) return "gone";
      if (await claims.claim(key, wanted, CLAIM_LIFE_MS)) return "registered";
      const found = await claims.read(key);
      if (found === undefined) continue;
      const standing = decodeStanding(found);
      const verdict = judge(standing, claimant, now());
      const isElsewhere = standing.phase === "live" && standing.instance !== instance;
      if (verdict === "free" && isElsewhere) {
        await ask(standing.instance, { ask: "drop", state, claim: found }, ANSWER_WITHIN_MS);
      }
      // An instance that was killed took its connections along, but not the secret that moves a state.
      const isAbandoned = async () =>
        standing.challenge === undefined && !(isElsewhere && (await ownerIsThere(standing, state)));
      if (verdict === "secret-needed" || verdict === "state-used") return verdict;
      if (verdict === "state-taken" && !(await isAbandoned())) return verdict;
      if (isOver()) return "gone";
      if (await claims.exchange(key, found, wanted, CLAIM_LIFE_MS)) return "registered";
    }
    return "state-taken";
  }

  /** The state ended here a moment ago, and its claim is known to the letter: one step instead of three. */
  async function claimAgain(registration: Registration, before: Standing | undefined): Promise<boolean> {
    if (before === undefined || before.phase === "expired") return false;
    return claims.exchange(registration.key, encodeStanding(before), claimOf(registration), CLAIM_LIFE_MS);
  }

  async function putInForce(
    registration: Registration,
    request: RegisterRequest,
    before: Standing | undefined,
  ): Promise<RegisterOutcome> {
    let outcome: RegisterOutcome;
    try {
      outcome = (await claimAgain(registration, before)) ? "registered" : await claim(registration, request);
    } catch (error) {
      ignoreOutage(error);
      outcome = "bus-unavailable";
    }
    if (local.find(registration.state) !== registration) {
      claims.release(registration.key, claimOf(registration)).catch(ignoreOutage);
      return "gone";
    }
    if (outcome === "registered") registration.phase = "waiting";
    else local.end(registration, "refused");
    return outcome;
  }

  async function deliverElsewhere(
    state: string,
    provider: string | undefined,
    answer: ProviderAnswer,
  ): Promise<Delivery> {
    const key = keyOf(state);
    const found = await claims.read(key);
    if (found === undefined) return local.missing(key);
    const standing = decodeStanding(found);
    if (standing.phase === "used") return { outcome: "used" };
    if (standing.phase !== "live" || standing.instance === instance) return local.missing(key);
    const reply = await ask(standing.instance, { ask: "deliver", state, provider, answer }, DELIVERED_WITHIN_MS);
    if (reply.ok) return reply.value as Delivery;
    if (reply.reason === "unavailable") return { outcome: "unavailable" };
    return { outcome: standing.expiresAtMs <= now() ? "expired" : "unknown" };
  }

  async function answerQuestion(question: Question): Promise<Delivery | boolean> {
    const registration = local.find(question.state);
    switch (question.ask) {
      case "deliver": {
        const { state, provider, answer } = question;
        return local.deliver(state, provider, answer) ?? local.missing(keyOf(state));
      }
      case "holds":
        // In use until its end is known to all: the note of it may wait for the bus.
        return registration !== undefined || local.endedAs(keyOf(question.state))?.phase === "used";
      case "drop":
        if (registration && claimOf(registration) === question.claim) {
          local.end(registration, "taken-over");
          registration.owner.send(errorText("state-taken", question.state));
        }
        return true;
      default:
        return false;
    }
  }

  /** A Redis that comes back may have forgotten everything: tell it again what waits here, and what was used up. */
  async function reclaim(): Promise<void> {
    const waiting = [...local.all()].filter(({ phase }) => phase !== "claiming");
    await inBatches(waiting, reclaimOne);
    const used = [...local.ended()].filter(([, { phase }]) => phase === "used");
    await inBatches(used, async ([key, standing]) => {
      const isNoted = await claims.claim(key, encodeStanding(standing), ENDED_MEMORY_MS);
      const claim = encodeStanding({ ...standing, phase: "live" });
      if (!isNoted) await claims.exchange(key, claim, encodeStanding(standing), ENDED_MEMORY_MS);
    });
  }

  async function inBatches<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
    for (let from = 0; from < all.length; from += RECLAIMED_AT_ONCE) {
      await Promise.all(all.slice(from, from + RECLAIMED_AT_ONCE).map(work));
    }
  }

  async function reclaimOne(registration: Registration): Promise<void> {
    const { key, state, owner } = registration;
    const wanted = claimOf(registration);
    const isOver = () => local.find(state) !== registration;
    if (isOver() || (await claims.claim(key, wanted, CLAIM_LIFE_MS))) return;
    const found = await claims.read(key);
    if (found === wanted || found === undefined || isOver()) return;
    // It moved between connections of this instance while the bus was away.
    if (decodeStanding(found).instance === instance && (await claims.exchange(key, found, wanted, CLAIM_LIFE_MS)))
      return;
    local.end(registration, "refused");
    owner.send(errorText("state-taken", state));
  }

  /** From one connection of this instance to another: the claim names the same instance, so nobody needs to be asked. */
  function moveHere(predecessor: Registration, owner: Owner, request: RegisterRequest): RegisterOutcome {
    const claim = claimOf(predecessor);
    const registration = local.add(owner, request, predecessor.key, "waiting");
    claims
      .exchange(registration.key, claim, claimOf(registration), CLAIM_LIFE_MS)
      .then((isMoved) => (isMoved ? undefined : reclaimOne(registration)))
      .catch(ignoreOutage);
    return "registered";
  }

  await bus.respond(channelOf(instance), (question) => answerQuestion(question as Question));
  const stopListening = bus.onStateChange((state) => {
    if (state === "up") reclaim().catch(ignoreOutage);
  });
  const claiming = new WeakMap<Registration, Promise<RegisterOutcome>>();

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
      if (predecessor && predecessor.phase !== "claiming") return moveHere(predecessor, owner, request);
      const before = local.endedAs(key);
      const registration = local.add(owner, request, key, "claiming");
      const outcome = putInForce(registration, request, before);
      claiming.set(registration, outcome);
      return outcome;
    },
    deliver: (state, provider, answer) =>
      local.deliver(state, provider, answer) ??
      deliverElsewhere(state, provider, answer).catch((error): Delivery => {
        ignoreOutage(error);
        return { outcome: "unavailable" };
      }),
    close: stopListening,
  };
}
