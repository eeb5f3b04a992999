import { hash } from "node:crypto";
import type { ProblemCode } from "@backplane/kit/problems";

/** How things stand with a state: who waits with it, or how that ended. */
export type Standing = {
  readonly phase: "live" | "lost" | "used" | "expired";
  readonly instance: string;
  /** The connection, by its number in that instance. */
  readonly owner: number;
  /** Tells registrations of one connection apart, also two within a millisecond. */
  readonly serial: number;
  readonly expiresAtMs: number;
  readonly challenge: string | undefined;
};

/** Who wants to register a state that may stand already. */
export type Claimant = { readonly instance: string; readonly owner: number; readonly secret: string | undefined };

/** `own`: this connection waits with it already. */
export type Verdict = "free" | "own" | Extract<ProblemCode, "state-taken" | "state-used" | "secret-needed">;

/** A state is kept and looked up by its hash wherever it outlives its registration: a leak would tell none. */
export const keyOf = (state: string): string => hash("sha256", state, "base64url");

/** Clocks of instances differ. Only its own decides about a registration, unless it has long been silent. */
const CLOCK_SLACK_MS = 60_000;

/** Whether a state may be registered. The first owner keeps it; only a secret that fits its challenge moves it. */
export function judge(standing: Standing | undefined, claimant: Claimant, nowMs: number): Verdict {
  if (standing === undefined || standing.phase === "expired") return "free";
  const isLive = standing.phase === "live";
  const slackMs = standing.instance === claimant.instance ? 0 : CLOCK_SLACK_MS;
  if (isLive && standing.expiresAtMs + slackMs <= nowMs) return "free";
  const isOwn = standing.owner === claimant.owner && standing.instance === claimant.instance;
  if (isOwn) return isLive ? "own" : "free";
  if (standing.challenge !== undefined) {
    if (claimant.secret === undefined) return isLive ? "state-taken" : "secret-needed";
    return keyOf(claimant.secret) === standing.challenge ? "free" : "secret-needed";
  }
  if (isLive) return "state-taken";
  return standing.phase === "used" ? "state-used" : "free";
}

/** One line of text, since claims hold text and are compared as such. */
export const encodeStanding = ({ phase, instance, owner, serial, expiresAtMs, challenge = "" }: Standing): string =>
  `${phase} ${instance} ${owner} ${serial} ${expiresAtMs} ${challenge}`;

export function decodeStanding(text: string): Standing {
  const [phase = "", instance = "", owner, serial, expiresAtMs, challenge] = text.split(" ");
  return {
    phase: phase as Standing["phase"],
    instance,
    owner: Number(owner),
    serial: Number(serial),
    expiresAtMs: Number(expiresAtMs),
    challenge: challenge || undefined,
  };
}
