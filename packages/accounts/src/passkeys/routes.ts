import { PASSKEY_LIMITS, PasskeyRequestOptions, SignInByPasskey, User } from "@backplane/contract/accounts";
import type { Claims } from "@backplane/kit/bus";
import type { WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import { type App, callerKey, limitRate } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { RateLimit, RateLimiter } from "@backplane/kit/rate-limiter";
import { CHANGING } from "../callers/access.ts";
import type { StartBrowserSession } from "../sessions/browser-sessions.ts";
import type { AccountTables } from "../tables.ts";
import type { DescribeUser } from "../users/describe-user.ts";
import { type Challenges, createChallenges } from "./challenges.ts";
import { addPasskeyRoutes } from "./manage-routes.ts";
import { createPasskeyStore, type PasskeyStore } from "./store.ts";
import { type RelyingParty, relyingPartyOf, verifySignIn } from "./verify.ts";

export type PasskeyOptions = {
  database: Database<AccountTables>;
  /** From the bus, so that a challenge of one instance can be used once, at any instance. */
  claims: Claims;
  whoIsCalling: WhoIsCalling;
  startBrowserSession: StartBrowserSession;
  describeUser: DescribeUser;
  newLimiter: (limit: RateLimit) => RateLimiter;
  now: Clock;
};

/** Passkeys of an account, and signing in with one. */
export function servePasskeys(app: App, options: PasskeyOptions): void {
  const store = createPasskeyStore(options.database);
  const challenges = createChallenges(options.claims);
  addPasskeyRoutes(app, { ...options, store, challenges });
  addSignInRoutes(app, { ...options, store, challenges });
}

type SignInOptions = PasskeyOptions & { store: PasskeyStore; challenges: Challenges };

const TAG = { tags: ["passkeys"] };

/** Signing in with a passkey. */
function addSignInRoutes(app: App, options: SignInOptions): void {
  const { store, challenges, startBrowserSession, describeUser, newLimiter, now } = options;
  const limit = { name: "passkey-sign-in", limit: PASSKEY_LIMITS.signInsPerMinute, windowMs: 60_000 };
  // CHANGING: a page on another site must not sign its visitor in to an account of its choice.
  const onRequest = [...CHANGING.onRequest, limitRate(newLimiter(limit), ({ ip }) => callerKey(ip))];

  app.post(
    "/auth/passkeys/sign-in/options",
    {
      ...CHANGING,
      onRequest,
      schema: {
        ...TAG,
        summary: "Begin to sign in with a passkey",
        problems: ["foreign-page", "passkeys-need-a-name", "too-many-requests"],
        response: { 200: PasskeyRequestOptions },
      },
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
        summary: "Sign in with a passkey",
        problems: ["foreign-page", "passkeys-need-a-name", "passkey-refused", "not-signed-in", "too-many-requests"],
        body: SignInByPasskey,
        response: { 200: User },
      },
    },
    async (request, reply) => {
      const userId = await userOfSignature(request.body, relyingPartyOf(request));
      if (userId === undefined) {
        throw new Problem("passkey-refused", { detail: "Try again, or sign in another way." });
      }
      const { id } = await startBrowserSession(request, reply, userId);
      return describeUser({ userId, credentialId: id, kind: "Browser" });
    },
  );

  /** All failures look the same, so that nobody learns which passkeys exist. */
  async function userOfSignature({ credential }: SignInByPasskey, party: RelyingParty): Promise<string | undefined> {
    const challenge = await challenges.take(credential.response.clientDataJSON, { use: "sign-in", rpId: party.id });
    if (challenge === undefined) return undefined;
    const passkey = await store.find(credential.id, party.id);
    if (!passkey) return undefined;
    const signed = await verifySignIn(credential, passkey, challenge, party);
    if (!signed) return undefined;
    return (await store.use(passkey, signed.counter, now())) ? passkey.userId : undefined;
  }
}
