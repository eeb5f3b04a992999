import { type OpenidFault, StartOpenid } from "@backplane/contract/accounts";
import type { App, limitRate } from "@backplane/kit/http";
import type { FastifyBaseLogger } from "fastify";
import { Type } from "typebox";
import { READING } from "../callers/access.ts";
import type { StartBrowserSession } from "../sessions/browser-sessions.ts";
import type { answerReader } from "./answer.ts";
import { type Flow, type Flows, type flowCookies, hostOf } from "./flows.ts";
import { faultOf, type OpenidProvider, reasonOf } from "./provider.ts";
import { localPath } from "./return-path.ts";

type Options = {
  baseUrl: string;
  provider: OpenidProvider;
  flows: Flows;
  cookies: ReturnType<typeof flowCookies>;
  limit: ReturnType<typeof limitRate>;
  readAnswer: ReturnType<typeof answerReader>;
  startBrowserSession: StartBrowserSession;
};

const MAX_STATE_LENGTH = 128;

/** To the provider and back. People follow these links, so failures lead to a page, never to a JSON problem. */
export function addSignInRoutes(app: App, options: Options): void {
  const { baseUrl, provider, flows, cookies, limit, readAnswer, startBrowserSession } = options;
  const onRequest = [...READING.onRequest, limit];
  const outcomes = { problems: ["too-many-requests"], response: { 303: Type.Null() } } as const;
  const baseHost = new URL(baseUrl).host;

  app.get(
    "/auth/openid/start",
    {
      onRequest,
      schema: { tags: ["openid"], summary: "Go to the provider to sign in", querystring: StartOpenid, ...outcomes },
    },
    async (request, reply) => {
      const returnTo = localPath(request.query.return_to);
      // The provider sends people back to BASE_URL, where the cookie of another host is not sent. Only once: behind a
      // proxy that hides the host, this would redirect forever.
      if (hostOf(request) !== baseHost && request.query.moved === undefined) {
        const query = new URLSearchParams({ return_to: returnTo, moved: "1" });
        return reply.redirect(`${baseUrl}/auth/openid/start?${query}`, 303);
      }
      const flow = await flows.begin(returnTo, null);
      try {
        const address = await provider.address(flow);
        return reply.header("set-cookie", cookies.set(flow.browser)).redirect(address, 303);
      } catch (error) {
        return reply.redirect(faultPage(faultOf(error), reasonOf(error), flow, request.log), 303);
      }
    },
  );

  app.get(
    "/auth/openid/callback",
    { onRequest, schema: { tags: ["openid"], summary: "Come back from the provider", ...outcomes } },
    async (request, reply) => {
      const { search, searchParams } = new URL(request.url, baseUrl);
      const [state = "", ...more] = searchParams.getAll("state");
      const browser = cookies.read(request.headers.cookie);
      const isReadable = state !== "" && state.length <= MAX_STATE_LENGTH && more.length === 0;
      const flow = isReadable && browser !== undefined ? await flows.take(state, browser) : undefined;
      // The answer belongs to another browser, is too old, or was used before. It is not read any further.
      if (!flow) return reply.redirect(faultPage("openid-failed", "state unknown", undefined, request.log), 303);
      reply.header("set-cookie", cookies.ended);
      const outcome = await readAnswer(search, state, flow);
      if (outcome !== "linked" && "fault" in outcome) {
        return reply.redirect(faultPage(outcome.fault, outcome.reason, flow, request.log), 303);
      }
      if (outcome !== "linked") await startBrowserSession(request, reply, outcome.signIn);
      return reply.redirect(`${baseUrl}${flow.returnTo}`, 303);
    },
  );

  /** The page where the person can try again: the account page for linking, else the sign-in page. */
  function faultPage(
    fault: OpenidFault,
    reason: string,
    flow: Flow | undefined,
    log: Pick<FastifyBaseLogger, "warn" | "info">,
  ): string {
    log[fault === "openid-failed" ? "warn" : "info"]({ reason }, `openid sign-in: ${fault}`);
    if (flow?.link) return `${baseUrl}${flow.returnTo}?${new URLSearchParams({ fault })}`;
    const returnTo = flow && flow.returnTo !== "/" ? { return_to: flow.returnTo } : {};
    return `${baseUrl}/auth/sign-in?${new URLSearchParams({ fault, ...returnTo })}`;
  }
}
