import { hash, timingSafeEqual } from "node:crypto";

/** RFC 7636, section 4.1; whatever is longer was made by nobody. */
const MAX_VERIFIER_LENGTH = 128;

/** S256: whether the challenge was made from this verifier. */
export function provesChallenge(verifier: string, challenge: string): boolean {
  if (verifier.length > MAX_VERIFIER_LENGTH) return false;
  const made = hash("sha256", verifier, "buffer");
  const wanted = Buffer.from(challenge, "base64url");
  return made.length === wanted.length && timingSafeEqual(made, wanted);
}
