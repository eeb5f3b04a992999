import { ENDED_MEMORY_MS, REGISTRATION_LIFE_MS } from "@backplane/contract/gateway";
import { type Bus, BusFault } from "@backplane/kit/bus";
import type { Clock } from "@backplane/kit/clock";
import type { LocalRegistrations } from "./local-registrations.ts";
import { errorText } from "./messages.ts";
import { decodeStatus, encodeStatus, judge, type RegistrationStatus } from "./registration-status.ts";
import type { Ending, Owner, ProviderAnswer, RegisterOutcome, RegisterRequest, Registration } from "./registrations.ts";

/** What instances ask each other. Codes pass through here and are stored nowhere. */
export type Question =
  | { ask: "deliver"; state: string; provider: string | undefined; answer: ProviderAnswer }
  /** Does one of your connections hold this state? */
  | { ask: "holds"; state: string }
  /** Its owner has proven itself on another connection: end this registration. */
  | { ask: "drop"; state: string; claim: string };

/** A claim outlives its registration by the time for which its end is remembered. */
const CLAIM_LIFE_MS = REGISTRATION_LIFE_MS + ENDED_MEMORY_MS;
/** An instance that takes longer to answer a question about itself is considered gone. */
export const ANSWER_WITHIN_MS = 2_000;
/** A claim can change hands between reading and exchanging it. After this many attempts somebody else has it. */
const CLAIM_ATTEMPTS = 3;
const RECLAIMED_AT_ONCE = 100;

/** One gateway instance and the bus that it shares with the others. */
export type Instance = {
  readonly id: string;
  readonly now: Clock;
  readonly bus: Bus;
  readonly local: LocalRegistrations;
  readonly onFault: (error: unknown) => void;
};

export const channelOf = (instanceId: string): string => `gateway:${instanceId}`;

export const ask = ({ bus }: Instance, instanceId: string, question: Question, timeoutMs = ANSWER_WITHIN_MS) =>
  bus.request(channelOf(instanceId), question, { timeoutMs });

export const claimOf = ({ local }: Instance, registration: Registration): string =>
  encodeStatus(local.statusOf(registration));

/** While the bus is away, local registrations go on, so an outage is expected here. */
export function ignoreOutage({ onFault }: Instance, error: unknown): void {
  if (!(error instanceof BusFault)) onFault(error);
}

const isOver = ({ local }: Instance, registration: Registration): boolean =>
  local.find(registration.state) !== registration;

/** Claims the state of a registration that the local table has just accepted. */
export async function claimState(
  instance: Instance,
  registration: Registration,
  request: RegisterRequest,
  previous: RegistrationStatus | undefined,
): Promise<RegisterOutcome> {
  const { local, bus } = instance;
  let outcome: RegisterOutcome;
  try {
    const isReclaimed = await claimAgain(instance, registration, previous);
    outcome = isReclaimed ? "registered" : await claim(instance, registration, request);
  } catch (error) {
    ignoreOutage(instance, error);
    outcome = "bus-unavailable";
  }
  if (isOver(instance, registration)) {
    bus.claims.release(registration.key, claimOf(instance, registration)).catch((error) => {
      ignoreOutage(instance, error);
    });
    return "gone";
  }
  if (outcome === "registered") registration.phase = "waiting";
  else local.end(registration, "refused");
  return outcome;
}

/** The state ended here a moment ago, so its exact claim is known: one step instead of three. */
async function claimAgain(
  instance: Instance,
  registration: Registration,
  previous: RegistrationStatus | undefined,
): Promise<boolean> {
  if (previous === undefined || previous.phase === "expired") return false;
  const { claims } = instance.bus;
  return claims.exchange(registration.key, encodeStatus(previous), claimOf(instance, registration), CLAIM_LIFE_MS);
}

async function claim(
  instance: Instance,
  registration: Registration,
  request: RegisterRequest,
): Promise<RegisterOutcome> {
  const { claims } = instance.bus;
  const { key, state, owner } = registration;
  const wanted = claimOf(instance, registration);
  const claimant = { instance: instance.id, owner: owner.data.id, secret: request.secret };
  for (let attempt = 0; attempt < CLAIM_ATTEMPTS; attempt += 1) {
    // A registration that has ended in the meantime must not touch its successor's claim.
    if (isOver(instance, registration)) return "gone";
    if (await claims.claim(key, wanted, CLAIM_LIFE_MS)) return "registered";
    const found = await claims.read(key);
    if (found === undefined) continue;
    const status = decodeStatus(found);
    const verdict = judge(status, claimant, instance.now());
    if (verdict === "secret-needed" || verdict === "state-used") return verdict;
    if (verdict === "state-taken" && !(await isAbandoned(instance, status, state))) return verdict;
    if (verdict === "free" && isElsewhere(instance, status)) {
      await ask(instance, status.instance, { ask: "drop", state, claim: found });
    }
    if (isOver(instance, registration)) return "gone";
    if (await claims.exchange(key, found, wanted, CLAIM_LIFE_MS)) return "registered";
  }
  return "state-taken";
}

const isElsewhere = ({ id }: Instance, status: RegistrationStatus): boolean =>
  status.phase === "live" && status.instance !== id;

/** An instance that was killed took its connections along. A state with a challenge still needs its secret. */
async function isAbandoned(instance: Instance, status: RegistrationStatus, state: string): Promise<boolean> {
  if (status.challenge !== undefined) return false;
  if (!isElsewhere(instance, status)) return true;
  const reply = await ask(instance, status.instance, { ask: "holds", state });
  if (reply.ok) return reply.value !== true;
  if (reply.reason === "unavailable") throw new BusFault("unavailable", "the owner of a state cannot be asked");
  return reply.reason === "no-responder";
}

/** Tells the other instances how a registration ended. */
export function recordEnd(instance: Instance, registration: Registration, ending: Ending): void {
  // Still being claimed: the claiming code notices the end. Taken over: its successor changes the claim.
  if (registration.phase === "claiming" || ending === "taken-over" || ending === "expired") return;
  const { claims } = instance.bus;
  const { key, challenge, expiresAtMs } = registration;
  const status = instance.local.statusOf(registration);
  const claim = encodeStatus(status);
  const changeTo = (phase: RegistrationStatus["phase"], lifeMs: number) =>
    claims.exchange(key, claim, encodeStatus({ ...status, phase }), lifeMs);
  const recorded =
    ending === "used"
      ? changeTo("used", ENDED_MEMORY_MS)
      : ending === "lost" && challenge !== undefined
        ? changeTo("lost", Math.max(1, expiresAtMs - instance.now()))
        : claims.release(key, claim);
  // While the bus is away, the claim keeps naming this instance, which remembers the end itself.
  recorded.catch((error) => ignoreOutage(instance, error));
}

/** Moves a state between two connections of this instance. The claim names the same instance, so nobody is asked. */
export function moveHere(
  instance: Instance,
  predecessor: Registration,
  owner: Owner,
  request: RegisterRequest,
): RegisterOutcome {
  const { local, bus } = instance;
  const claim = claimOf(instance, predecessor);
  const registration = local.add(owner, request, predecessor.key, "waiting");
  bus.claims
    .exchange(registration.key, claim, claimOf(instance, registration), CLAIM_LIFE_MS)
    .then((isMoved) => (isMoved ? undefined : reclaim(instance, registration)))
    .catch((error) => ignoreOutage(instance, error));
  return "registered";
}

/** A Redis that comes back may have lost everything: claim again what waits here, and what was used. */
export async function reclaimAll(instance: Instance): Promise<void> {
  const { local, bus } = instance;
  const waiting = [...local.all()].filter(({ phase }) => phase !== "claiming");
  await inBatches(waiting, (registration) => reclaim(instance, registration));
  const used = [...local.ended()].filter(([, { phase }]) => phase === "used");
  await inBatches(used, async ([key, status]) => {
    const isNoted = await bus.claims.claim(key, encodeStatus(status), ENDED_MEMORY_MS);
    const claim = encodeStatus({ ...status, phase: "live" });
    if (!isNoted) await bus.claims.exchange(key, claim, encodeStatus(status), ENDED_MEMORY_MS);
  });
}

async function reclaim(instance: Instance, registration: Registration): Promise<void> {
  const { claims } = instance.bus;
  const { key, state, owner } = registration;
  const wanted = claimOf(instance, registration);
  if (isOver(instance, registration) || (await claims.claim(key, wanted, CLAIM_LIFE_MS))) return;
  const found = await claims.read(key);
  if (found === wanted || found === undefined || isOver(instance, registration)) return;
  // It moved between connections of this instance while the bus was away.
  const isOurs = decodeStatus(found).instance === instance.id;
  if (isOurs && (await claims.exchange(key, found, wanted, CLAIM_LIFE_MS))) return;
  instance.local.end(registration, "refused");
  owner.send(errorText("state-taken", state));
}

async function inBatches<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < all.length; from += RECLAIMED_AT_ONCE) {
    await Promise.all(all.slice(from, from + RECLAIMED_AT_ONCE).map(work));
  }
}
