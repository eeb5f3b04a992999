import { INTENT_LIMITS, IntentStatus, VERIFIER_HEADER } from "@backplane/contract/intents";
import { type App, callerKey } from "@backplane/kit/http";
import type { InProcessRateLimiter } from "@backplane/kit/rate-limiter";
import type { EventStreams } from "@backplane/kit/sse";
import type { FastifyReply, FastifyRequest } from "fastify";
import { forbidStoring, hashOf, IntentParams } from "./access.ts";
import { asksForStream } from "./asks-for-stream.ts";
import { refusePollFlood, tooMany } from "./polls.ts";
import { orProblem } from "./refusal.ts";
import type { Asker, StatusRules } from "./status.ts";
import type { Waiter, Waiters } from "./waiters.ts";

const RETRY_STREAMS_S = 5;
const JSON_TYPE = "application/json; charset=utf-8";
/** Most polls are answered by this: as text it is not made anew for each. */
const STILL_PENDING = JSON.stringify({ state: "pending" } satisfies IntentStatus);

export type StatusRouteOptions = {
  status: StatusRules;
  waiters: Waiters;
  streams: EventStreams;
  polls: InProcessRateLimiter;
  onFault: (error: unknown) => void;
};

/** Where a program waits: by asking again, or on a stream. */
export function addStatusRoutes(scope: App, { status, waiters, streams, polls, onFault }: StatusRouteOptions): void {
  async function openStream(reply: FastifyReply, token: string, hash: string, asker: Asker): Promise<void> {
    const outcome = orProblem(await status.ask(token, hash, asker));
    if (outcome.state === "authenticated") {
      const stream = streams.open(reply);
      stream.send("authenticated", JSON.stringify({ session_token: outcome.session_token }));
      stream.end();
      return;
    }
    if (waiters.count(hash) >= INTENT_LIMITS.maxStreamsPerIntent) {
      throw tooMany(`${INTENT_LIMITS.maxStreamsPerIntent} streams wait for this request already.`, RETRY_STREAMS_S);
    }
    const stream = streams.open(reply);
    const waiter: Waiter = { stream, token, consumer: outcome.consumer };
    stream.onClose(() => waiters.remove(hash, waiter));
    waiters.add(hash, outcome.expiresAtMs, waiter).catch((error) => {
      onFault(error);
      // It connects again and asks anew.
      stream.end();
    });
  }

  const options = {
    compress: false as const,
    schema: {
      tags: ["intents"],
      summary: "Whether the person has answered: once, or as a stream with Accept: text/event-stream",
      params: IntentParams,
      response: { 200: IntentStatus },
    },
    onRequest: forbidStoring,
  };

  async function answer(request: FastifyRequest<{ Params: { token: string } }>, reply: FastifyReply) {
    const { params, headers } = request;
    const hash = hashOf(params);
    const verifier = headers[VERIFIER_HEADER];
    const asker: Asker = {
      key: callerKey(request.ip),
      verifier: typeof verifier === "string" ? verifier : undefined,
      userAgent: headers["user-agent"],
    };
    refusePollFlood(polls, hash, asker.key);
    if (asksForStream(headers.accept)) return openStream(reply, params.token, hash, asker);
    const outcome = orProblem(await status.ask(params.token, hash, asker));
    reply.type(JSON_TYPE);
    const text = outcome.state === "pending" ? STILL_PENDING : JSON.stringify(outcome satisfies IntentStatus);
    // Fastify sends text as it is, and its types know only the value.
    return text as unknown as IntentStatus;
  }

  scope.get("/auth/intents/:token/status", options, answer);
  // Clients in the field append /status to updates_url, which ends with it already.
  scope.get("/auth/intents/:token/status/status", { ...options, schema: { ...options.schema, hide: true } }, answer);
}
