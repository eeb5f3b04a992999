import { OpenidAddress, OpenidLink } from "@backplane/contract/accounts";
import type { WhoIsCalling } from "@backplane/kit/callers";
import type { App, limitRate } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { Type } from "typebox";
import { CHANGING, READING, requireBrowser } from "../callers/access.ts";
import { type Flows, type flowCookies, hostOf } from "./flows.ts";
import { type OpenidProvider, reasonOf } from "./provider.ts";
import type { IdentityStore } from "./store.ts";

type Options = {
  baseUrl: string;
  whoIsCalling: WhoIsCalling;
  provider: OpenidProvider;
  identities: IdentityStore;
  flows: Flows;
  cookies: ReturnType<typeof flowCookies>;
  limit: ReturnType<typeof limitRate>;
};

const TAG = { tags: ["openid"], access: "browser" as const };
const ACCOUNT_PAGE = "/account";

/**
 * Links an account to a person at the provider, and unlinks it. Linking begins with a POST from our own page, so that no
 * other site can link its own account there to a visitor's account here.
 */
export function addLinkRoutes(app: App, options: Options): void {
  const { baseUrl, whoIsCalling, provider, identities, flows, cookies, limit } = options;

  app.post(
    "/auth/openid/link",
    {
      ...CHANGING,
      onRequest: [...CHANGING.onRequest, limit],
      schema: {
        ...TAG,
        summary: "Begin to link your account to the provider",
        problems: ["invalid-parameter", "openid-failed", "too-many-requests"],
        response: { 200: OpenidAddress },
      },
    },
    async (request, reply) => {
      const { userId, credentialId } = await requireBrowser(whoIsCalling, request);
      // The provider sends people back to BASE_URL, where the cookie of another host is not sent.
      if (hostOf(request) !== new URL(baseUrl).host) {
        throw new Problem("invalid-parameter", { detail: `Linking works at ${baseUrl}. Open the account page there.` });
      }
      const flow = await flows.begin(ACCOUNT_PAGE, { userId, sessionId: credentialId });
      try {
        const url = await provider.address(flow);
        reply.header("set-cookie", cookies.set(flow.browser));
        return { url };
      } catch (error) {
        request.log.warn({ reason: reasonOf(error) }, "openid link: the provider cannot be reached");
        throw new Problem("openid-failed", { detail: "The provider did not answer as expected. Try again later." });
      }
    },
  );

  app.get(
    "/auth/openid/link",
    {
      ...READING,
      schema: { ...TAG, summary: "Whether your account is linked to the provider", response: { 200: OpenidLink } },
    },
    async (request) => {
      const { userId } = await requireBrowser(whoIsCalling, request);
      return { linked: await identities.isLinked(userId) };
    },
  );

  app.delete(
    "/auth/openid/link",
    {
      ...CHANGING,
      schema: {
        ...TAG,
        summary: "Unlink your account from the provider",
        problems: ["not-found", "last-sign-in-way"],
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { userId } = await requireBrowser(whoIsCalling, request);
      const outcome = await identities.unlink(userId);
      if (outcome === "none") throw new Problem("not-found", { detail: "Your account is not linked." });
      if (outcome === "last") {
        throw new Problem("last-sign-in-way", { detail: "Set a password or add a passkey first." });
      }
      return reply.code(204).send(null);
    },
  );
}
