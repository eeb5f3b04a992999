import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Clock } from "../clock.ts";
import type { Metrics } from "../metrics.ts";
import { Problem } from "../problems.ts";
import type { App } from "./app-type.ts";

/** Resolves when the service answers; rejects when it does not. The detail of a Problem is told as the reason. */
type ReadinessCheck = () => Promise<void>;

type Checks = Readonly<Record<string, ReadinessCheck>>;

export type Readiness = {
  /** What no request can be answered without: while one fails, /ready is 503. */
  checks: Checks;
  /** What some requests need: while one fails, /ready stays 200 and names it. */
  optionalChecks?: Checks;
  /** True from the moment the process was told to stop. */
  isDraining: () => boolean;
  /** Processes of the same `backplane up` that are not running. */
  processesDown?: () => readonly string[];
};

const CHECK_TIMEOUT_MS = 1_000;
/** The services behind /ready are checked at most this often, however often /ready is called. */
const CHECK_CACHE_MS = 250;

const TAGS = ["Operation"];

const Health = Type.Object(
  { status: Type.Literal("ok"), uptime: Type.Integer({ description: "Seconds since it started" }) },
  { additionalProperties: true, examples: [{ status: "ok", uptime: 360 }] },
);

const Ready = Type.Object(
  {
    ready: Type.Boolean(),
    draining: Type.Boolean(),
    checks: Type.Record(Type.String(), Type.Union([Type.Literal("ok"), Type.Literal("failing")])),
    reasons: Type.Record(Type.String(), Type.String(), { description: "Why a check fails, where that is known" }),
    degraded: Type.Array(Type.String(), { description: "Services and processes that are away" }),
  },
  {
    examples: [
      { ready: true, draining: false, checks: { database: "ok", bus: "failing" }, reasons: {}, degraded: ["bus"] },
    ],
  },
);

type HealthOptions = {
  now: Clock;
  metrics: Metrics;
  readiness: Readiness;
  /** Absent: every caller may read /metrics. */
  mayReadMetrics?: (request: FastifyRequest) => boolean;
  /** What the process adds to /health, e.g. the gateway's pending count. */
  vitals: () => Record<string, unknown>;
};

/** /health: is it alive. /ready: send it traffic. /metrics: Prometheus. A lost service may make it not ready, never unhealthy. */
export function useHealth(
  app: App,
  { now, metrics, readiness, vitals, mayReadMetrics = () => true }: HealthOptions,
): void {
  const startedAtMs = now();
  const { checks: neededChecks, optionalChecks = {}, isDraining, processesDown = () => [] } = readiness;
  let cached: { atMs: number; checks: ReturnType<typeof runChecks> } | undefined;

  const runChecks = async () => {
    const all = Object.entries({ ...neededChecks, ...optionalChecks });
    const results = await Promise.all(all.map(async ([name, check]) => ({ name, ...(await passes(check)) })));
    const checks = Object.fromEntries(results.map(({ name, state }) => [name, state]));
    const reasons = Object.fromEntries(results.flatMap(({ name, reason }) => (reason ? [[name, reason]] : [])));
    return { checks, reasons };
  };
  const recentChecks = () => {
    if (!cached || now() - cached.atMs >= CHECK_CACHE_MS) cached = { atMs: now(), checks: runChecks() };
    return cached.checks;
  };

  app.get(
    "/health",
    { exposeHeadRoute: true, schema: { tags: TAGS, summary: "Is this process alive", response: { 200: Health } } },
    async (_request, reply) => {
      reply.header("cache-control", "no-store");
      return { status: "ok" as const, ...vitals(), uptime: Math.floor((now() - startedAtMs) / 1_000) };
    },
  );
  app.get(
    "/ready",
    {
      exposeHeadRoute: true,
      schema: { tags: TAGS, summary: "Should this process get traffic", response: { 200: Ready, 503: Ready } },
    },
    async (_request, reply) => {
      const { checks, reasons } = await recentChecks();
      const draining = isDraining();
      const ready = !draining && Object.keys(neededChecks).every((name) => checks[name] === "ok");
      const failing = Object.keys(checks).filter((name) => checks[name] !== "ok");
      reply.header("cache-control", "no-store").code(ready ? 200 : 503);
      return { ready, draining, checks, reasons, degraded: [...failing, ...processesDown()] };
    },
  );
  app.get(
    "/metrics",
    {
      schema: {
        tags: TAGS,
        summary: "Metrics for Prometheus",
        description: "From other machines, and through a proxy, with `Authorization: Bearer` and METRICS_TOKEN.",
        problems: ["metrics-token-needed"],
        produces: ["text/plain"],
      },
    },
    async (request, reply) => {
      if (!mayReadMetrics(request)) {
        throw new Problem("metrics-token-needed", {
          detail: "Ask on the same machine and not through a proxy, or send Authorization: Bearer with METRICS_TOKEN.",
          headers: { "www-authenticate": 'Bearer realm="metrics"' },
        });
      }
      reply.type(metrics.contentType).header("cache-control", "no-store");
      return metrics.render();
    },
  );
}

async function passes(check: ReadinessCheck): Promise<{ state: "ok" | "failing"; reason?: string | undefined }> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(reject, CHECK_TIMEOUT_MS);
  try {
    await Promise.race([check(), promise]);
    return { state: "ok" };
  } catch (error) {
    return { state: "failing", reason: error instanceof Problem ? error.detail : undefined };
  } finally {
    clearTimeout(timer);
  }
}
