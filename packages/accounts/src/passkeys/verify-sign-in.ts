import type { SignInByPasskey } from "@backplane/contract/accounts";
import type { RelyingParty } from "./relying-party.ts";

export type KnownPasskey = { id: string; userId: string; publicKey: string; counter: number };

/** The counter that came with a valid signature of this passkey; undefined when anything about it is wrong. */
export async function verifySignIn(
  credential: SignInByPasskey["credential"],
  passkey: KnownPasskey,
  challenge: string,
  relyingParty: RelyingParty,
): Promise<{ counter: number } | undefined> {
  const { userHandle, ...response } = credential.response;
  // WebAuthn Level 3, §7.2: nobody is named before, so the authenticator must say whose key this is.
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
