import type { ErrorClass } from "./errors.ts";

const SECRET_BYTES = 32;

/**
 * A secret and its base64url SHA-256. Used for PKCE S256 (RFC 7636), and to prove to the gateway after a lost connection
 * that the state is ours.
 */
export type Proof = { secret: string; challenge: string };

export async function createProof(errorClass: ErrorClass<"no-webcrypto">): Promise<Proof> {
  // Browsers do not give these two to pages that were loaded over plain http.
  if (globalThis.crypto?.subtle === undefined || globalThis.crypto.randomUUID === undefined) {
    throw new errorClass(
      "no-webcrypto",
      "There is no WebCrypto here. In a browser, load the page over https or from localhost; elsewhere, use Node 20 or later.",
    );
  }
  const secret = base64url(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
  return { secret, challenge: await challengeOf(secret) };
}

export async function challengeOf(secret: string): Promise<string> {
  return base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(secret))));
}

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
