import { CreateIntent, INTENT_LIMITS, Intent } from "@backplane/contract/intents";
import { type App, callerKey } from "@backplane/kit/http";
import type { InProcessRateLimiter } from "@backplane/kit/rate-limiter";
import { forbidStoring, hashOf, IntentParams } from "./access.ts";
import { asksForPage } from "./asks-for-page.ts";
import { noBodyIsNoFields } from "./empty-bodies.ts";
import type { IntentRules } from "./intents.ts";
import { refusePollFlood } from "./polls.ts";
import { orProblem } from "./refusal.ts";

export type ProgramRouteOptions = {
  rules: IntentRules;
  admit: (ip: string) => Promise<void>;
  polls: InProcessRateLimiter;
};

/** What programs call to begin: make an intent, look at it. */
export function addProgramRoutes(scope: App, { rules, admit, polls }: ProgramRouteOptions): void {
  scope.post(
    "/auth/intents",
    {
      compress: false,
      bodyLimit: INTENT_LIMITS.maxBodyBytes,
      schema: {
        tags: ["intents"],
        summary: "Ask for a session: the answer says where to send the person and where to wait",
        body: CreateIntent,
        response: { 201: Intent },
      },
      onRequest: forbidStoring,
      preValidation: noBodyIsNoFields,
    },
    async (request, reply) => {
      await admit(request.ip);
      const intent = await rules.create(request.body, { ip: request.ip, userAgent: request.headers["user-agent"] });
      reply.code(201).header("location", `/auth/intents/${intent.token}`);
      return intent;
    },
  );

  scope.get(
    "/auth/intents/:token",
    {
      compress: false,
      schema: {
        tags: ["intents"],
        summary: "What was asked for, and whether it was approved; a browser is sent to the page",
        params: IntentParams,
        response: { 200: Intent },
      },
      onRequest: forbidStoring,
    },
    async (request, reply) => {
      const { token } = request.params;
      // The page tells a person what became of it, whatever that is.
      if (asksForPage(request.headers.accept)) return reply.header("vary", "accept").redirect(rules.pageOf(token), 303);
      const hash = hashOf(request.params);
      refusePollFlood(polls, hash, callerKey(request.ip));
      return orProblem(await rules.read(token, hash));
    },
  );
}
