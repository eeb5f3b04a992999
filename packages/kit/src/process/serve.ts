import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { hasSlowBody } from "../http/bodies.ts";
import { connectionsWithin, openFilesLimit, reportRefusedConnections } from "../http/descriptors.ts";
import { createHostCheck, hostsOf } from "../http/hosts.ts";
import { type AnswerFirst, type ApiDocs, type App, createApp, type Readiness } from "../http/index.ts";
import { HTTP_LIMITS } from "../http/limits.ts";
import { createMetricsCheck } from "../http/local-access.ts";
import type { NotFoundPage } from "../http/not-found.ts";
import { createTurns } from "../http/turns.ts";
import { DRAIN_CONNECTED_MS, DRAIN_REQUESTS_BEHIND_PROXY_MS, DRAIN_REQUESTS_MS, DRAIN_UPLOADS_MS } from "./limits.ts";
import type { ProcessContext, Started } from "./run-process.ts";

export type ServeOptions = Partial<Pick<Readiness, "checks" | "optionalChecks">> & {
  port: number;
  /** The address people use. */
  url: string;
  vitals?: () => Record<string, unknown>;
  notFoundPage?: NotFoundPage;
  apiDocs?: ApiDocs;
  answerFirst?: AnswerFirst;
  addRoutes: (app: App) => Promise<void> | void;
  /** Its routes have a guard of their own, which also checks host names and who may read /metrics. */
  isGuarded?: boolean;
  facts?: Readonly<Record<string, unknown>>;
  /** For a process behind a load balancer: at a stop, it goes on serving for this long while /ready is 503. */
  drainDelayMs?: number;
  /** Called at a stop, after that delay: ends connections that would stay open, such as WebSockets. */
  drain?: () => Promise<void>;
  /** Closes what the routes use, after the last request was answered. */
  close?: () => Promise<void>;
};

const MAX_TURNS = 500;
const SHORT_TURN_MS = 1;

/**
 * Closing a listener resets connections that the kernel has accepted and Node has not yet taken. A proxy cannot repeat
 * their requests: it does not know whether they were read. After a short turn of the event loop without a new one, there
 * are none.
 */
async function noConnectionWaits(server: Server): Promise<void> {
  let connections = 0;
  const count = () => {
    connections += 1;
  };
  server.on("connection", count);
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const [before, startedAtMs] = [connections, performance.now()];
    await new Promise(setImmediate);
    if (connections === before && performance.now() - startedAtMs < SHORT_TURN_MS) break;
  }
  server.off("connection", count);
}

/** Runs an HTTP server as a process: adds the routes, listens, and at a stop answers the requests in flight first. */
export async function serve(
  { settings, log, metrics, isDraining, processesDown }: ProcessContext,
  options: ServeOptions,
): Promise<Started> {
  const { port, url, checks = {}, optionalChecks = {}, addRoutes, facts, drain, close } = options;
  const { drainDelayMs = 0, vitals, notFoundPage, apiDocs, answerFirst, isGuarded } = options;
  const { trustProxy } = settings;
  const turns = createTurns(HTTP_LIMITS.maxUnanswered);
  const app = await createApp({
    turns,
    limits: { maxConnections: connectionsWithin(openFilesLimit(), HTTP_LIMITS.maxConnections) },
    log,
    metrics,
    now: Date.now,
    readiness: { checks, optionalChecks, isDraining, processesDown },
    trustProxy,
    checkHost: createHostCheck({ hosts: isGuarded ? undefined : hostsOf(settings), trustProxy, url }),
    ...(isGuarded ? {} : { mayReadMetrics: createMetricsCheck(settings) }),
    overHttps: url.startsWith("https:"),
    ...(vitals ? { vitals } : {}),
    ...(notFoundPage ? { notFoundPage } : {}),
    ...(apiDocs ? { apiDocs } : {}),
    ...(answerFirst ? { answerFirst } : {}),
  });
  try {
    await addRoutes(app);
    await app.listen({ host: settings.host, port });
    reportRefusedConnections(app.server, log);
  } catch (error) {
    await app.close();
    await close?.();
    throw error;
  }
  return {
    url,
    ...(facts ? { facts } : {}),
    async stop() {
      // Clients that keep their connections open leave with their next answer.
      app.server.prependListener("request", (_request, response) => {
        response.shouldKeepAlive = false;
      });
      if (drainDelayMs > 0) {
        await sleep(drainDelayMs);
        await noConnectionWaits(app.server);
      }
      const closed = app.close();
      const arrived = drainDelayMs > 0 ? sleep(DRAIN_CONNECTED_MS) : Promise.resolve();
      const withinMs = drainDelayMs > 0 ? DRAIN_REQUESTS_BEHIND_PROXY_MS : DRAIN_REQUESTS_MS;
      await Promise.all([drain?.(), arrived.then(() => turns.none(withinMs))]);
      if (drainDelayMs > 0) await turns.none(DRAIN_UPLOADS_MS, hasSlowBody);
      // The connections that are left have no request, or a slow one: browsers open some in advance.
      app.server.closeAllConnections();
      await closed;
      await close?.();
    },
  };
}
