import { INTENT_LIMITS } from "@backplane/contract/intents";
import type { Bus } from "@backplane/kit/bus";
import type { WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import { type AnswerFirst, type App, addressReader, createDirectRoutes } from "@backplane/kit/http";
import type { Metrics } from "@backplane/kit/metrics";
import type { Settings } from "@backplane/kit/settings";
import { createEventStreams } from "@backplane/kit/sse";
import { acceptEmptyBodies, forbidStoring } from "./access.ts";
import { createIntentPages, createIntentRules } from "./create.ts";
import { createDecide, createDecisionStore } from "./decide.ts";
import { createKnownPending } from "./known-pending.ts";
import { createAdmission, createPollLimit } from "./limits.ts";
import { addPersonRoutes } from "./person-routes.ts";
import { addReadRoute, createRoute, statusRoutes } from "./program-routes.ts";
import { createRequestRules, createRequestStore } from "./request.ts";
import type { Sessions } from "./sessions.ts";
import { createStatusRules } from "./status.ts";
import { createIntentStore, type IntentTables } from "./store.ts";
import { sweepIntents } from "./sweep.ts";
import { openWaiters } from "./waiters.ts";

const SWEEP_EVERY_MS = 60_000;

export type IntentsOptions = {
  database: Database<IntentTables>;
  bus: Bus;
  settings: Pick<Settings, "authUrl" | "baseUrl" | "trustProxy">;
  whoIsCalling: WhoIsCalling;
  sessions: Sessions;
  /** Call it with sessions that have ended: no instance accepts them any more. */
  forget: (sessionIds: readonly string[]) => Promise<void>;
  now: Clock;
  metrics: Metrics;
  onFault: (error: unknown) => void;
};

export type IntentsArea = {
  /** Answers the most frequent calls before Fastify sees them. */
  answerFirst: AnswerFirst;
  addRoutes(app: App): Promise<void>;
  /** How many streams are open. */
  waiting(): number;
  /** Deletes intents that are no longer needed, and returns how many. A timer calls it too. */
  sweep(): Promise<number>;
  /** Ends every stream: programs connect again, to another instance or to this one's successor. */
  drain(): void;
  close(): Promise<void>;
};

/** The authentication intents: their rules, their routes, and the programs that wait. */
export async function openIntentsArea(options: IntentsOptions): Promise<IntentsArea> {
  const { database, bus, settings, whoIsCalling, sessions, forget, now, metrics, onFault } = options;
  const { maxUnanswered } = INTENT_LIMITS;
  const store = createIntentStore(database);
  const requestStore = createRequestStore(database);
  const pages = createIntentPages(settings);
  const known = createKnownPending(now);
  // A server for the database or the bus may have other instances, whose decisions arrive here late or never.
  const isAlone = database.engine === "sqlite" && bus.engine === "in-process";
  const rules = createIntentRules({
    ...{ store, sessions, now, describe: pages.describe },
    onCreated: isAlone ? known.add : () => {},
  });
  const status = createStatusRules({ store, requests: requestStore, sessions, now });
  const waiters = await openWaiters({
    ...{ store, bus, now, onFault },
    retrieve: status.retrieve,
    onDecided: known.forget,
  });
  const decide = createDecide({
    ...{ store, now, forget, describe: pages.describe },
    decisions: createDecisionStore(database, sessions),
    onDecided(hash) {
      known.forget(hash);
      waiters.announce(hash);
    },
  });
  const requests = createRequestRules({ store, requests: requestStore, sessions, now });

  let isFull = false;
  async function sweep(): Promise<number> {
    const { deleted, unanswered } = await sweepIntents({ database, sessions, nowMs: now(), maxUnanswered });
    isFull = unanswered >= maxUnanswered;
    return deleted;
  }
  const sweeper = setInterval(() => void sweep().catch(onFault), SWEEP_EVERY_MS).unref();

  const streams = createEventStreams();
  metrics.gauge("backplane_intents_waiting", "Programs that wait on an event stream", streams.count);
  const limitPolls = createPollLimit(now);
  const admit = createAdmission({ now, isFull: () => isFull, onFault });
  const direct = createDirectRoutes(
    [createRoute({ rules, admit }), ...statusRoutes({ status, known, waiters, streams, limitPolls, onFault })],
    { addressOf: addressReader(settings.trustProxy), observe: metrics.observeRequest, onError: onFault },
  );

  return {
    answerFirst: direct.answerFirst,
    async addRoutes(app) {
      await app.register(async (scope: App) => {
        forbidStoring(scope);
        acceptEmptyBodies(scope);
        direct.addRoutes(scope);
        addReadRoute(scope, { rules, pages, limitPolls });
        addPersonRoutes(scope, { decide, requests, whoIsCalling });
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
