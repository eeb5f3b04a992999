import { hash } from "node:crypto";
import type { ProblemCode } from "@backplane/kit/problems";

/** Who holds a state, or how its registration ended. */
export type RegistrationStatus = {
  readonly phase: "live" | "lost" | "used" | "expired";
  readonly instance: string;
  /** The connection, by its number in that instance. */
  readonly owner: number;
  /** Distinguishes registrations of one connection, even two in the same millisecond. */
  readonly serial: number;
  readonly expiresAtMs: number;
  readonly challenge: string | undefined;
};

/** Who wants to register a state that may already be registered. */
export type Claimant = { readonly instance: string; readonly owner: number; readonly secret: string | undefined };

/** `own`: this connection already holds the state. */
export type Verdict = "free" | "own" | Extract<ProblemCode, "state-taken" | "state-used" | "secret-needed">;

/** Wherever a state outlives its registration, only its hash is stored, so that a leak reveals no state. */
export const keyOf = (state: string): string => hash("sha256", state, "base64url");

/** Clocks of instances differ, so an instance waits this long before it treats another one's registration as expired. */
const CLOCK_SLACK_MS = 60_000;

/** Whether a state may be registered. The first owner keeps it; only the secret that matches its challenge moves it. */
export function judge(status: RegistrationStatus | undefined, claimant: Claimant, nowMs: number): Verdict {
  if (status === undefined || status.phase === "expired") return "free";
  const isLive = status.phase === "live";
  const slackMs = status.instance === claimant.instance ? 0 : CLOCK_SLACK_MS;
  if (isLive && status.expiresAtMs + slackMs <= nowMs) return "free";
  const isOwn = status.owner === claimant.owner && status.instance === claimant.instance;
  if (isOwn) return isLive ? "own" : "free";
  if (status.challenge !== undefined) {
    if (claimant.secret === undefined) return isLive ? "state-taken" : "secret-needed";
    return keyOf(claimant.secret) === status.challenge ? "free" : "secret-needed";
  }
  if (isLive) return "state-taken";
  return status.phase === "used" ? "state-used" : "free";
}

/** One line of text, because claims on the bus are compared as text. */
export const encodeStatus = ({
  phase,
  instance,
  owner,
  serial,
  expiresAtMs,
  challenge = "",
}: RegistrationStatus): string => `${phase} ${instance} ${owner} ${serial} ${expiresAtMs} ${challenge}`;

export function decodeStatus(text: string): RegistrationStatus {
  const [phase = "", instance = "", owner, serial, expiresAtMs, challenge] = text.split(" ");
  return {
    phase: phase as RegistrationStatus["phase"],
    instance,
    owner: Number(owner),
    serial: Number(serial),
    expiresAtMs: Number(expiresAtMs),
    challenge: challenge || undefined,
  };
}
