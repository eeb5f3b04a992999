import { OAuthError } from "./errors.ts";

const SECRET_BYTES = 32;

/**
 * A secret and its base64url SHA-256. Used twice: as PKCE S256 towards the provider (RFC 7636), and towards the
 * gateway, to show after a lost connection that the state is ours.
 */
export type Proof = { secret: string; challenge: string };

export async function createProof(): Promise<Proof> {
  const secret = base64url(webCrypto().getRandomValues(new Uint8Array(SECRET_BYTES)));
  return { secret, challenge: await challengeOf(secret) };
}

export async function challengeOf(secret: string): Promise<string> {
  const digest = await webCrypto().subtle.digest("SHA-256", new TextEncoder().encode(secret));
  return base64url(new Uint8Array(digest));
}

export function freshState(): string {
  return webCrypto().randomUUID();
}

/** Browsers keep `subtle` and `randomUUID` from pages that were loaded over plain http. */
function webCrypto(): typeof globalThis.crypto {
  const found: Partial<typeof globalThis.crypto> | undefined = globalThis.crypto;
  if (found?.subtle === undefined || found.randomUUID === undefined) {
    throw new OAuthError(
      "no-webcrypto",
      "There is no WebCrypto here. In a browser load the page over https or from localhost; elsewhere use Node 20 or later.",
    );
  }
  return globalThis.crypto;
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
