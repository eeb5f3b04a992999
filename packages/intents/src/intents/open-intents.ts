import type { IncomingMessage } from "node:http";
import { INTENT_LIMITS } from "@backplane/contract/intents";
import type { Bus } from "@backplane/kit/bus";
import type { WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import { type AnswerFirst, type App, callerKey, openToAnyOrigin } from "@backplane/kit/http";
import type { Metrics } from "@backplane/kit/metrics";
import { createEventStreams, type EventStreamLimits } from "@backplane/kit/sse";
import type { AccountTables } from "../tables.ts";
import { createAdmission } from "./admission.ts";
import { createCallersSeen } from "./callers-seen.ts";
import { createDecisionStore } from "./decision-store.ts";
import { takeEmptyBodies } from "./empty-bodies.ts";
import { createIntentRules } from "./intents.ts";
import { createKnownPending } from "./known-pending.ts";
import { addPersonRoutes } from "./person-routes.ts";
import { countPolls } from "./polls.ts";
import { addProgramRoutes } from "./program-routes.ts";
import { createQuickAnswers } from "./quick-answers.ts";
import { createRequestRules } from "./request.ts";
import { createRequestStore } from "./request-store.ts";
import { createStatusRules } from "./status.ts";
import { addStatusRoutes } from "./status-routes.ts";
import { createIntentStore } from "./store.ts";
import { sweepIntents } from "./sweep.ts";
import { openWaiters } from "./waiters.ts";

export type IntentsOptions = {
  database: Database<AccountTables>;
  bus: Bus;
  whoIsCalling: WhoIsCalling;
  /** `callers.forget`: for sessions that gave way to a new one. */
  forget: (sessionIds: readonly string[]) => Promise<void>;
  now: Clock;
  /** Where people approve; the page is `/auth/intent` there. */
  authUrl: string;
  /** Where programs ask. */
  baseUrl: string;
  /** Whom a request counts for, as Fastify's request.ip. */
  addressOf: (request: IncomingMessage) => string;
  observeRequest: Metrics["observeRequest"];
  onFault: (error: unknown) => void;
  streamLimits?: Partial<EventStreamLimits>;
  maxUnanswered?: number;
};

export type Intents = {
  /** The most frequent calls, on node:http itself. */
  answerFirst: AnswerFirst;
  addRoutes(app: App): Promise<void>;
  /** How many streams are open. */
  waiting(): number;
  /** Deletes what nobody asks for any more; to be called now and then. */
  sweep(): Promise<number>;
  /** Ends every stream: programs connect again, to another instance or to this one's successor. */
  drain(): void;
  close(): Promise<void>;
};

/** What a program calls before it has a session; it may be a page of any origin. */
const PROGRAM_ROUTES = [
  { url: "/auth/intents", methods: ["POST"] },
  { url: "/auth/intents/:token", methods: ["GET"] },
  { url: "/auth/intents/:token/status", methods: ["GET"] },
];

/** The authentication intents: all their routes, and those who wait. */
export async function openIntents(options: IntentsOptions): Promise<Intents> {
  const { database, bus, whoIsCalling, forget, now, authUrl, baseUrl, onFault, streamLimits } = options;
  const { maxUnanswered = INTENT_LIMITS.maxUnanswered } = options;
  const store = createIntentStore(database);
  const requestStore = createRequestStore(database);
  const streams = createEventStreams(streamLimits);
  const status = createStatusRules({ store, now, noteCaller: createCallersSeen({ requests: requestStore, now }) });
  const known = createKnownPending(now);
  const waiters = await openWaiters({
    ...{ store, bus, now, onFault },
    retrieve: status.retrieve,
    onDecided: known.forget,
  });
  // With a server for the database or the bus there may be other processes, whose decisions come here late or never.
  const isAlone = database.engine === "sqlite" && bus.engine === "in-process";
  const rules = createIntentRules({
    ...{ store, now, authUrl, baseUrl, forget },
    decisions: createDecisionStore(database),
    onCreated(token, row) {
      const { token_hash: hash, created_address: address, code_challenge: challenge, expires_at_ms: expiresAtMs } = row;
      if (isAlone) known.add(token, { hash, address, key: callerKey(address), challenge, expiresAtMs });
    },
    onDecided(hash) {
      known.forget(hash);
      waiters.announce(hash);
    },
  });
  const requests = createRequestRules({ store, requests: requestStore, now });
  let isFull = false;
  const admit = createAdmission({ now, isFull: () => isFull, onFault });
  const polls = countPolls(now);

  return {
    answerFirst: createQuickAnswers({
      ...{ known, polls, admit, onFault },
      create: rules.create,
      addressOf: options.addressOf,
      observe: (method, route, status, seconds) => options.observeRequest({ method, route, status }, seconds),
    }),
    async addRoutes(app) {
      openToAnyOrigin(app, PROGRAM_ROUTES);
      await app.register(async (scope: App) => {
        takeEmptyBodies(scope);
        addProgramRoutes(scope, { rules, admit, polls });
        addPersonRoutes(scope, { rules, requests, whoIsCalling });
        addStatusRoutes(scope, { status, waiters, streams, polls, onFault });
      });
    },
    waiting: streams.count,
    async sweep() {
      const { deleted, unanswered } = await sweepIntents(database, now(), maxUnanswered);
      isFull = unanswered >= maxUnanswered;
      return deleted;
    },
    drain: streams.close,
    async close() {
      streams.close();
      await waiters.close();
    },
  };
}
