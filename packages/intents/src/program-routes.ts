import { CreateIntent, INTENT_LIMITS, Intent, IntentStatus, VERIFIER_HEADER } from "@backplane/contract/intents";
import {
  type App,
  callerKey,
  constantAnswer,
  type DirectAnswer,
  type DirectCall,
  type DirectRoute,
  jsonAnswer,
  openToAnyOrigin,
  prefersHtml,
} from "@backplane/kit/http";
import type { EventStreams } from "@backplane/kit/sse";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { hashOf, IntentParams } from "./access.ts";
import type { IntentPages, IntentRules } from "./create.ts";
import type { KnownPending } from "./known-pending.ts";
import { type LimitPolls, pollKeyOf, tooMany } from "./limits.ts";
import { orProblem, READING_REFUSALS, STATUS_REFUSALS } from "./refusal.ts";
import type { Asker, StatusRules } from "./status.ts";
import { sendToken, TOKEN_GIVEN, type Waiters } from "./waiters.ts";
import type { Waiter } from "./waiting-list.ts";

const PATH = "/auth/intents";
const RETRY_STREAMS_S = 5;

/** The most frequent answer has only the headers that a browser needs. */
const STILL_PENDING = constantAnswer(
  200,
  [
    ["content-type", "application/json; charset=utf-8"],
    ["cache-control", "no-store"],
    ["x-content-type-options", "nosniff"],
    ["access-control-allow-origin", "*"],
  ].flat(),
  JSON.stringify({ state: "pending" } satisfies IntentStatus),
);

/** POST /auth/intents: a program asks for a session. */
export function createRoute({ rules, admit }: { rules: IntentRules; admit(ip: string): Promise<void> }): DirectRoute {
  return {
    method: "POST",
    path: PATH,
    schema: {
      tags: ["intents"],
      summary: "Ask for a session: the answer says where to send the person and where to wait",
      problems: ["too-many-requests"],
      body: CreateIntent,
      response: { 201: Intent },
    },
    maxBodyBytes: INTENT_LIMITS.maxBodyBytes,
    anyOrigin: true,
    async handle({ body, headers, address }) {
      await admit(address);
      const intent = await rules.create(body as CreateIntent, { ip: address, userAgent: headers["user-agent"] });
      return jsonAnswer(201, intent, ["location", `${PATH}/${intent.token}`]);
    },
  };
}

type StatusRouteOptions = {
  status: StatusRules;
  known: KnownPending;
  waiters: Waiters;
  streams: EventStreams;
  limitPolls: LimitPolls;
  onFault: (error: unknown) => void;
};

/** GET /auth/intents/:token/status: a program waits, by asking again or on a stream. */
export function statusRoutes(options: StatusRouteOptions): DirectRoute[] {
  const { status, known, limitPolls } = options;

  async function answer(token: string, asker: Asker): Promise<DirectAnswer> {
    const hash = hashOf(token);
    limitPolls(pollKeyOf(hash, asker.key));
    const outcome = orProblem(await status.ask(token, hash, asker));
    return outcome.state === "pending" ? STILL_PENDING : jsonAnswer(200, outcome satisfies IntentStatus);
  }

  const route: DirectRoute = {
    method: "GET",
    path: `${PATH}/:token/status`,
    schema: {
      tags: ["intents"],
      summary: "Whether the person has decided: once, or as a stream with Accept: text/event-stream",
      problems: [...STATUS_REFUSALS, "too-many-requests"],
      params: IntentParams,
      response: {
        200: IntentStatus,
        204: Type.Null({ description: "The stream that connects again has the token already (Last-Event-ID)" }),
      },
    },
    anyOrigin: true,
    handle(call) {
      const pending = known.find(call.parameter, call.address, call.headers[VERIFIER_HEADER]);
      if (pending === undefined) return answer(call.parameter, askerOf(call));
      limitPolls(pending.pollKey);
      return STILL_PENDING;
    },
    otherwise: {
      // Media types are case-insensitive (RFC 9110, section 8.3.1).
      applies: ({ accept }) => accept !== undefined && /text\/event-stream/i.test(accept),
      handle: (request, reply) => openStream(options, request as StatusRequest, reply),
    },
  };
  // Existing clients append /status to updates_url, which already ends with it.
  return [route, { ...route, path: `${route.path}/status`, schema: { ...route.schema, hide: true } }];
}

function askerOf({ address, headers }: Pick<DirectCall, "address" | "headers">): Asker {
  const verifier = headers[VERIFIER_HEADER];
  return {
    key: callerKey(address),
    verifier: typeof verifier === "string" ? verifier : undefined,
    userAgent: headers["user-agent"],
  };
}

type StatusRequest = FastifyRequest<{ Params: { token: string } }>;

async function openStream(
  { status, waiters, streams, limitPolls, onFault }: StatusRouteOptions,
  { params: { token }, ip: address, headers }: StatusRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  const hash = hashOf(token);
  const asker = askerOf({ address, headers });
  limitPolls(pollKeyOf(hash, asker.key));
  const outcome = orProblem(await status.ask(token, hash, asker));
  if (outcome.state === "authenticated") {
    // 204 stops an EventSource, which otherwise asks for the token again every 2 s.
    if (headers["last-event-id"] === TOKEN_GIVEN) return reply.code(204).send(null);
    const stream = streams.open(reply);
    sendToken(stream, outcome.session_token);
    stream.end();
    return undefined;
  }
  if (waiters.count(hash) >= INTENT_LIMITS.maxStreamsPerIntent) {
    throw tooMany(
      `${INTENT_LIMITS.maxStreamsPerIntent} streams are already waiting for this request.`,
      RETRY_STREAMS_S,
    );
  }
  const stream = streams.open(reply);
  const waiter: Waiter = { stream, token, consumer: outcome.consumer };
  stream.onClose(() => waiters.remove(hash, waiter));
  waiters.add(hash, outcome.expiresAtMs, waiter).catch((error) => {
    onFault(error);
    // The program connects again.
    stream.end();
  });
  return undefined;
}

type ReadRouteOptions = { rules: IntentRules; pages: IntentPages; limitPolls: LimitPolls };

/** GET /auth/intents/:token: a program looks at its intent; a browser is sent to the page. */
export function addReadRoute(scope: App, { rules, pages, limitPolls }: ReadRouteOptions): void {
  openToAnyOrigin(scope, [{ url: `${PATH}/:token`, methods: ["GET"] }]);
  scope.get(
    `${PATH}/:token`,
    {
      compress: false,
      schema: {
        tags: ["intents"],
        summary: "Read an intent, and whether it was approved; browsers are redirected to the approval page",
        problems: [...READING_REFUSALS, "too-many-requests"],
        params: IntentParams,
        response: { 200: Intent },
      },
    },
    async (request, reply) => {
      const { token } = request.params;
      // For every token: the page explains to the person when there is something wrong with it.
      if (prefersHtml(request.headers.accept)) {
        return reply.header("vary", "accept").redirect(pages.pageOf(token), 303);
      }
      const hash = hashOf(token);
      limitPolls(pollKeyOf(hash, callerKey(request.ip)));
      return orProblem(await rules.read(token, hash));
    },
  );
}
