import type { Bus } from "@backplane/kit/bus";
import type { WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import type { App } from "@backplane/kit/http";
import { createEventStreams, type EventStreamLimits } from "@backplane/kit/sse";
import type { AccountTables } from "../tables.ts";
import { createCallersSeen } from "./callers-seen.ts";
import { createDecisionStore } from "./decision-store.ts";
import { takeEmptyBodies } from "./empty-bodies.ts";
import { createIntentRules } from "./intents.ts";
import { addPersonRoutes } from "./person-routes.ts";
import { addProgramRoutes } from "./program-routes.ts";
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
  onFault: (error: unknown) => void;
  streamLimits?: Partial<EventStreamLimits>;
};

export type Intents = {
  /** How many streams are open. */
  waiting(): number;
  /** Deletes what nobody asks for any more; to be called now and then. */
  sweep(): Promise<number>;
  /** Ends every stream: programs connect again, to another instance or to this one's successor. */
  drain(): void;
  close(): Promise<void>;
};

/** The authentication intents: all their routes, and those who wait. */
export async function serveIntents(
  app: App,
  { database, bus, whoIsCalling, forget, now, authUrl, baseUrl, onFault, streamLimits }: IntentsOptions,
): Promise<Intents> {
  const store = createIntentStore(database);
  const requestStore = createRequestStore(database);
  const streams = createEventStreams(streamLimits);
  const status = createStatusRules({ store, now, noteCaller: createCallersSeen({ requests: requestStore, now }) });
  const waiters = await openWaiters({ store, retrieve: status.retrieve, bus, now, onFault });
  const rules = createIntentRules({
    store,
    decisions: createDecisionStore(database),
    now,
    authUrl,
    baseUrl,
    onDecided: waiters.announce,
    forget,
  });
  const requests = createRequestRules({ store, requests: requestStore, now });

  await app.register(async (scope: App) => {
    takeEmptyBodies(scope);
    addProgramRoutes(scope, { rules, now, onFault });
    addPersonRoutes(scope, { rules, requests, whoIsCalling });
    addStatusRoutes(scope, { status, waiters, streams, now, onFault });
  });

  return {
    waiting: streams.count,
    sweep: () => sweepIntents(database, now()),
    drain: streams.close,
    async close() {
      streams.close();
      await waiters.close();
    },
  };
}
