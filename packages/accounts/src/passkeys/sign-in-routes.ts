import { PASSKEY_LIMITS, PasskeyRequestOptions, SignInByPasskey, User } from "@backplane/contract/accounts";
import type { Clock } from "@backplane/kit/clock";
import { type App, callerKey, limitRate } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { RateLimit, RateLimiter } from "@backplane/kit/rate-limiter";
import type { DescribeUser } from "../accounts/profile.ts";
import { CHANGING } from "../callers/access.ts";
import type { StartBrowserSession } from "../sessions/start-browser-session.ts";
import type { Challenges } from "./challenges.ts";
import { type RelyingParty, relyingPartyOf } from "./relying-party.ts";
import type { PasskeyStore } from "./store.ts";
import { verifySignIn } from "./verify-sign-in.ts";

type Options = {
  store: PasskeyStore;
  challenges: Challenges;
  startBrowserSession: StartBrowserSession;
  describeUser: DescribeUser;
  newLimiter: (limit: RateLimit) => RateLimiter;
  now: Clock;
};

const TAG = { tags: ["passkeys"] };

/** What a browser does that nobody is signed in to. */
export function addSignInRoutes(app: App, options: Options): void {
  const { store, challenges, startBrowserSession, describeUser, newLimiter, now } = options;
  const limit = { name: "passkey-sign-in", limit: PASSKEY_LIMITS.signInsPerMinute, windowMs: 60_000 };
  // A page elsewhere must not sign its visitor in to an account of its choice: hence CHANGING.
  const onRequest = [...CHANGING.onRequest, limitRate(newLimiter(limit), ({ ip }) => callerKey(ip))];

  app.post(
    "/auth/passkeys/sign-in/options",
    {
      onRequest,
      schema: { ...TAG, summary: "Begin to sign in by a passkey", response: { 200: PasskeyRequestOptions } },
    },
    async (request) => {
      const { id: rpId } = relyingPartyOf(request);
      return {
        challenge: await challenges.issue({ use: "sign-in", rpId }),
        rpId,
        timeout: PASSKEY_LIMITS.challengeLifeMs,
        userVerification: "preferred" as const,
      };
    },
  );

  app.post(
    "/auth/passkeys/sign-in",
    {
      onRequest,
      bodyLimit: PASSKEY_LIMITS.maxBodyBytes,
      schema: {
        ...TAG,
        summary: "Sign in by a passkey",
        body: SignInByPasskey,
        response: { 200: User },
      },
    },
    async (request, reply) => {
      const userId = await whoseSignature(request.body, relyingPartyOf(request));
      if (userId === undefined) {
        throw new Problem("passkey-refused", { detail: "Try again, or sign in another way." });
      }
      const { id } = await startBrowserSession(request, reply, userId);
      return describeUser({ userId, credentialId: id, kind: "Browser" });
    },
  );

  /** One answer for every fault: which passkeys exist is nobody's business. */
  async function whoseSignature({ credential }: SignInByPasskey, party: RelyingParty): Promise<string | undefined> {
    const challenge = await challenges.take(credential.response.clientDataJSON, { use: "sign-in", rpId: party.id });
    if (challenge === undefined) return undefined;
    const passkey = await store.find(credential.id, party.id);
    if (!passkey) return undefined;
    const signed = await verifySignIn(credential, passkey, challenge, party);
    if (!signed) return undefined;
    return (await store.use(passkey, signed.counter, now())) ? passkey.userId : undefined;
  }
}
