import { randomBytes } from "node:crypto";
import { PASSKEY_LIMITS } from "@backplane/contract/accounts";
import type { Claims } from "@backplane/kit/bus";

const CHALLENGE_BYTES = 32;
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** What a challenge may be used for: to sign in, or to add a passkey to this account; and at which host. */
export type ChallengePurpose = { use: "sign-in"; rpId: string } | { use: "register"; rpId: string; userId: string };

export type Challenges = {
  issue(purpose: ChallengePurpose): Promise<string>;
  /** The challenge that a browser signed, if it was issued for this purpose. It can be taken only once. */
  take(clientDataJSON: string, purpose: ChallengePurpose): Promise<string | undefined>;
};

export function createChallenges(
  claims: Claims,
  newChallenge = () => randomBytes(CHALLENGE_BYTES).toString("base64url"),
): Challenges {
  return {
    async issue(purpose) {
      const challenge = newChallenge();
      await claims.claim(keyOf(challenge), textOf(purpose), PASSKEY_LIMITS.challengeLifeMs);
      return challenge;
    },
    async take(clientDataJSON, purpose) {
      const challenge = challengeIn(clientDataJSON);
      if (challenge === undefined) return undefined;
      return (await claims.take(keyOf(challenge))) === textOf(purpose) ? challenge : undefined;
    },
  };
}

const keyOf = (challenge: string): string => `passkey-challenge:${challenge}`;

const textOf = (purpose: ChallengePurpose): string =>
  purpose.use === "sign-in" ? `sign-in ${purpose.rpId}` : `register ${purpose.rpId} ${purpose.userId}`;

type ClientData = { challenge?: unknown; crossOrigin?: unknown };

/** Undefined also if a page asked for it in a frame of another site, where ours are never shown. */
function challengeIn(clientDataJSON: string): string | undefined {
  try {
    const text = Buffer.from(clientDataJSON, "base64url").toString();
    const { challenge, crossOrigin = false } = JSON.parse(text) as ClientData;
    if (crossOrigin !== false) return undefined;
    return typeof challenge === "string" && CHALLENGE.test(challenge) ? challenge : undefined;
  } catch {
    return undefined;
  }
}
