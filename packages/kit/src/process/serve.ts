import { type ApiDocs, type App, createApp, type ReadinessCheck } from "../http/index.ts";
import type { NotFoundPage } from "../http/not-found.ts";
import type { ProcessContext, Started } from "./run-process.ts";

export type ServeOptions = {
  port: number;
  /** The address people use. */
  url: string;
  checks?: Readonly<Record<string, ReadinessCheck>>;
  vitals?: () => Record<string, unknown>;
  notFoundPage?: NotFoundPage;
  apiDocs?: ApiDocs;
  addRoutes: (app: App) => Promise<void> | void;
  facts?: Readonly<Record<string, unknown>>;
  /** Ends what the routes use, after the last request was answered. */
  close?: () => Promise<void>;
};

/** An HTTP server as the whole of a process: routes in, listening, and a stop that answers what is in flight first. */
export async function serve(
  { settings, log, metrics, isDraining }: ProcessContext,
  { port, url, checks = {}, vitals, notFoundPage, apiDocs, addRoutes, facts, close }: ServeOptions,
): Promise<Started> {
  const app = await createApp({
    log,
    metrics,
    now: Date.now,
    readiness: { checks, isDraining },
    trustProxy: settings.trustProxy,
    overHttps: url.startsWith("https:"),
    ...(vitals ? { vitals } : {}),
    ...(notFoundPage ? { notFoundPage } : {}),
    ...(apiDocs ? { apiDocs } : {}),
  });
  try {
    await addRoutes(app);
    await app.listen({ host: settings.host, port });
  } catch (error) {
    await app.close();
    await close?.();
    throw error;
  }
  return {
    url,
    ...(facts ? { facts } : {}),
    async stop() {
      await app.close();
      await close?.();
    },
  };
}
