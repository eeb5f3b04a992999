import { isIP } from "node:net";
import type { CreatePasskey, SignInByPasskey } from "@backplane/contract/accounts";
import { Problem } from "@backplane/kit/problems";
import type { FastifyRequest } from "fastify";

/** Who a passkey is for, as the browser sees it: the host name it is bound to and the origin of the page. */
export type RelyingParty = { readonly id: string; readonly origin: string };

/** Uses the host of the request; behind trusted proxies that is the host they name. */
export function relyingPartyOf({ protocol, host }: Pick<FastifyRequest, "protocol" | "host">): RelyingParty {
  const asked = `${protocol}://${host}`;
  const url = URL.canParse(asked) ? new URL(asked) : undefined;
  if (!url?.hostname) throw new Problem("malformed-request", { detail: "Send a Host header." });
  // WebAuthn Level 3, §5.1.2: the id of a relying party is a domain, never an IP address.
  if (url.hostname.startsWith("[") || isIP(url.hostname) !== 0) {
    throw new Problem("passkeys-need-a-name", {
      detail: "Passkeys belong to a host name, not to an IP address. Open this site by its name, such as localhost.",
    });
  }
  return { id: url.hostname, origin: url.origin };
}

/** COSE numbers of ES256 (which every authenticator supports), EdDSA and RS256. */
export const ALGORITHMS = [-7, -8, -257];

export type VerifiedPasskey = { id: string; publicKey: string; counter: number; transports: string[] };

/** The passkey that a browser created, if it is for this challenge, page and host. */
export async function verifyRegistration(
  credential: CreatePasskey["credential"],
  challenge: string,
  relyingParty: RelyingParty,
): Promise<VerifiedPasskey | undefined> {
  // Imported at first use: loading the library takes half a second.
  const [{ verifyRegistrationResponse }, { decodeAttestationObject, isoBase64URL }] = await Promise.all([
    import("@simplewebauthn/server"),
    import("@simplewebauthn/server/helpers"),
  ]);
  try {
    const attestation = decodeAttestationObject(isoBase64URL.toBuffer(credential.response.attestationObject));
    // We ask for no attestation; a browser may still send one that the key itself signed. Certificates are refused.
    if (!["none", "packed"].includes(attestation.get("fmt")) || attestation.get("attStmt").get("x5c") !== undefined) {
      return undefined;
    }
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...credential, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: relyingParty.origin,
      expectedRPID: relyingParty.id,
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified || registrationInfo.credential.id !== credential.id) return undefined;
    const { id, publicKey, counter } = registrationInfo.credential;
    return {
      id,
      publicKey: isoBase64URL.fromBuffer(publicKey),
      counter,
      transports: credential.response.transports ?? [],
    };
  } catch {
    // The library throws for anything invalid, and quotes it.
    return undefined;
  }
}

export type KnownPasskey = { id: string; userId: string; publicKey: string; counter: number };

/** The counter that came with a valid signature of this passkey; undefined when the signature is not valid. */
export async function verifySignIn(
  credential: SignInByPasskey["credential"],
  passkey: KnownPasskey,
  challenge: string,
  relyingParty: RelyingParty,
): Promise<{ counter: number } | undefined> {
  const { userHandle, ...response } = credential.response;
  // WebAuthn Level 3, §7.2: without a user name, the authenticator must say whose key this is.
  if (!userHandle || Buffer.from(userHandle, "base64url").toString() !== passkey.userId) return undefined;
  const [{ verifyAuthenticationResponse }, { isoBase64URL }] = await Promise.all([
    import("@simplewebauthn/server"),
    import("@simplewebauthn/server/helpers"),
  ]);
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...credential, response: { ...response, userHandle }, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: relyingParty.origin,
      expectedRPID: relyingParty.id,
      credential: {
        id: passkey.id,
        publicKey: isoBase64URL.toBuffer(passkey.publicKey),
        counter: passkey.counter,
      },
      requireUserVerification: false,
    });
    return verified ? { counter: authenticationInfo.newCounter } : undefined;
  } catch {
    return undefined;
  }
}
