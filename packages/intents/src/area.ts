import { INTENT_LIMITS } from "@backplane/contract/intents";
import type { Bus } from "@backplane/kit/bus";
import type { WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import { type AnswerFirst, type App, addressReader, callerKey, openToAnyOrigin } from "@backplane/kit/http";
import type { Metrics } from "@backplane/kit/metrics";
import type { Settings } from "@backplane/kit/settings";
import { createEventStreams } from "@backplane/kit/sse";
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
import type { Sessions } from "./sessions.ts";
import { createStatusRules } from "./status.ts";
import { addStatusRoutes } from "./status-routes.ts";
import { createIntentStore } from "./store.ts";
import { sweepIntents } from "./sweep.ts";
import type { IntentTables } from "./tables.ts";
import { openWaiters } from "./waiters.ts";

const SWEEP_EVERY_MS = 60_000;

export type IntentsOptions = {
  database: Database<IntentTables>;
  bus: Bus;
  settings: Pick<Settings, "authUrl" | "baseUrl" | "trustProxy">;
  whoIsCalling: WhoIsCalling;
  sessions: Sessions;
  /** Called with sessions that have ended: no instance accepts their tokens any more. */
  forget: (sessionIds: readonly string[]) => Promise<void>;
  now: Clock;
  metrics: Metrics;
  onFault: (error: unknown) => void;
};

export type IntentsArea = {
  /** The most frequent calls, on node:http itself. */
  answerFirst: AnswerFirst;
  addRoutes(app: App): Promise<void>;
  /** How many streams are open. */
  waiting(): number;
  /** Deletes what is no longer needed, and returns how many intents that were. A timer does so too. */
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

/** The authentication intents: all their routes, and the programs that wait. */
export async function openIntentsArea(options: IntentsOptions): Promise<IntentsArea> {
  const { database, bus, settings, whoIsCalling, sessions, forget, now, metrics, onFault } = options;
  const { authUrl, baseUrl, trustProxy } = settings;
  const { maxUnanswered } = INTENT_LIMITS;
  const store = createIntentStore(database);
  const requestStore = createRequestStore(database);
  const streams = createEventStreams();
  metrics.gauge("backplane_intents_waiting", "Programs that wait on an event stream", streams.count);
  const noteCaller = createCallersSeen({ requests: requestStore, now });
  const status = createStatusRules({ store, sessions, now, noteCaller });
  const known = createKnownPending(now);
  const waiters = await openWaiters({
    ...{ store, bus, now, onFault },
    retrieve: status.retrieve,
    onDecided: known.forget,
  });
  // With a server for the database or the bus there may be other processes, whose decisions come here late or never.
  const isAlone = database.engine === "sqlite" && bus.engine === "in-process";
  const rules = createIntentRules({
    ...{ store, sessions, now, authUrl, baseUrl, forget },
    decisions: createDecisionStore(database, sessions),
    onCreated(token, row) {
      const { token_hash: hash, created_address: address, code_challenge: challenge, expires_at_ms: expiresAtMs } = row;
      if (isAlone) known.add(token, { hash, address, key: callerKey(address), challenge, expiresAtMs });
    },
    onDecided(hash) {
      known.forget(hash);
      waiters.announce(hash);
    },
  });
  const requests = createRequestRules({ store, requests: requestStore, sessions, now });
  let isFull = false;
  const admit = createAdmission({ now, isFull: () => isFull, onFault });
  const polls = countPolls(now);

  async function sweep(): Promise<number> {
    const { deleted, unanswered } = await sweepIntents({ database, sessions, nowMs: now(), maxUnanswered });
    isFull = unanswered >= maxUnanswered;
    return deleted;
  }
  const sweeper = setInterval(() => void sweep().catch(onFault), SWEEP_EVERY_MS).unref();

  return {
    answerFirst: createQuickAnswers({
      ...{ known, polls, admit, onFault },
      create: rules.create,
      addressOf: addressReader(trustProxy),
      observe: (method, route, status, seconds) => metrics.observeRequest({ method, route, status }, seconds),
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
    sweep,
    drain: streams.close,
    async close() {
      clearInterval(sweeper);
      streams.close();
      await waiters.close();
    },
  };
}
