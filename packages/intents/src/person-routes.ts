import { Approval, DecideIntent, INTENT_LIMITS, Intent, IntentRequest } from "@backplane/contract/intents";
import type { WhoIsCalling } from "@backplane/kit/callers";
import { type App, refuseForeignPage } from "@backplane/kit/http";
import { Type } from "typebox";
import { forbidStoring, hashOf, IntentParams, requirePerson } from "./access.ts";
import { noBodyIsNoFields } from "./empty-bodies.ts";
import type { IntentRules } from "./intents.ts";
import { orProblem } from "./refusal.ts";
import type { RequestRules } from "./request.ts";

export type PersonRouteOptions = { rules: IntentRules; requests: RequestRules; whoIsCalling: WhoIsCalling };

/** What our own pages call for a person who is signed in. Who is not learns nothing about a token here. */
export function addPersonRoutes(scope: App, { rules, requests, whoIsCalling }: PersonRouteOptions): void {
  scope.patch(
    "/auth/intents/:token",
    {
      compress: false,
      bodyLimit: INTENT_LIMITS.maxBodyBytes,
      schema: {
        tags: ["intents"],
        summary: "Approve or deny, by a signed-in browser",
        params: IntentParams,
        body: DecideIntent,
        response: { 200: Intent },
      },
      onRequest: forbidStoring,
      preValidation: noBodyIsNoFields,
    },
    async (request) => {
      refuseForeignPage(request);
      const { userId, credentialId } = await requirePerson(whoIsCalling, request);
      const hash = hashOf(request.params);
      const decider = { userId, sessionId: credentialId };
      return orProblem(await rules.decide(request.params.token, hash, request.body, decider));
    },
  );

  scope.get(
    "/auth/intents/:token/request",
    {
      compress: false,
      schema: {
        tags: ["intents"],
        summary: "What a person needs to judge, for a signed-in browser",
        params: IntentParams,
        response: { 200: IntentRequest },
      },
      onRequest: forbidStoring,
    },
    async (request) => {
      const { userId } = await requirePerson(whoIsCalling, request);
      return orProblem(await requests.describe(hashOf(request.params), userId));
    },
  );

  scope.get(
    "/auth/approvals",
    {
      compress: false,
      schema: {
        tags: ["intents"],
        summary: "The person's last decisions, for a signed-in browser",
        response: { 200: Type.Object({ approvals: Type.Array(Approval) }) },
      },
      onRequest: forbidStoring,
    },
    async (request) => {
      const { userId } = await requirePerson(whoIsCalling, request);
      return { approvals: await requests.approvals(userId) };
    },
  );
}
