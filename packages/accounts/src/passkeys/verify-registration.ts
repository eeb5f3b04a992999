import type { CreatePasskey } from "@backplane/contract/accounts";
import type { RelyingParty } from "./relying-party.ts";

/** COSE numbers of ES256, EdDSA and RS256: what authenticators make. The first is the one that all of them can. */
export const ALGORITHMS = [-7, -8, -257];

export type VerifiedPasskey = { id: string; publicKey: string; counter: number; transports: string[] };

/** The key that a browser made for us, if it is one: of this challenge, page and host. */
export async function verifyRegistration(
  credential: CreatePasskey["credential"],
  challenge: string,
  relyingParty: RelyingParty,
): Promise<VerifiedPasskey | undefined> {
  // Loaded when the first passkey is: the library takes half a second, which every start would pay.
  const [{ verifyRegistrationResponse }, { decodeAttestationObject, isoBase64URL }] = await Promise.all([
    import("@simplewebauthn/server"),
    import("@simplewebauthn/server/helpers"),
  ]);
  try {
    const attestation = decodeAttestationObject(isoBase64URL.toBuffer(credential.response.attestationObject));
    // We ask for none; a browser may leave one that the key itself signed. Certificates would only be a stranger's to read.
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
    // The library throws whatever it finds wrong, and quotes it.
    return undefined;
  }
}
