import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import {
  Activity,
  type Overview,
  OverviewAnswer,
  PROBE_CACHE_MS,
  type ProcessReport,
} from "@backplane/contract/platform";
import { BoundedMap } from "@backplane/kit/bounded-map";
import type { WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { App } from "@backplane/kit/http";
import { isLoopback, type Settings } from "@backplane/kit/settings";
import { VERSION } from "@backplane/kit/version";
import type { FastifyRequest } from "fastify";
import { probe, targetsOf } from "./probe.ts";

export type OverviewOptions = {
  settings: Settings;
  folder: string;
  database: Overview["database"];
  bus: Overview["bus"];
  now: Clock;
  fetch: typeof globalThis.fetch;
  whoIsCalling: WhoIsCalling;
};

/** Who was signed in lately is believed while the database does not answer: that is when people need this page. */
const REMEMBERED_MS = 600_000;
const MAX_REMEMBERED = 1_000;
const KICAD = "kicad";

/**
 * GET /api/overview: which processes are up. Each is asked at most once per second, however many people look. Strangers are
 * told only that it runs.
 */
export function serveOverview(app: App, options: OverviewOptions): void {
  const { settings, folder, database, bus, now, fetch } = options;
  const isSignedIn = createSignInCheck(options);
  const startedAt = new Date(now()).toISOString();
  const ownerFile = existsSync(join(settings.home, "owner.json"));
  const home = isLoopback(settings.host) ? { home: shortPath(folder, settings.home) } : {};
  const kicad = kicadUrl(settings);
  let cached: { atMs: number; processes: Promise<ProcessReport[]> } | undefined;
  const recentReports = () => {
    if (!cached || now() - cached.atMs >= PROBE_CACHE_MS) {
      cached = { atMs: now(), processes: Promise.all(targetsOf(settings).map((target) => probe(target, fetch))) };
    }
    return cached.processes;
  };
  app.get(
    "/api/overview",
    {
      schema: {
        tags: ["Operation"],
        summary: "Which processes are up",
        description: "Callers who are not signed in are told only that it runs.",
        problems: ["foreign-page"],
        response: { 200: OverviewAnswer },
      },
    },
    async (request, reply) => {
      reply.header("cache-control", "no-store");
      if (!(await isSignedIn(request))) return { running: true as const };
      return {
        running: true as const,
        version: VERSION,
        startedAt,
        database,
        bus,
        ...home,
        ownerFile,
        processes: await recentReports(),
        ...kicad,
      };
    },
  );
}

/** The first brand has the shortest address. */
function kicadUrl({ baseUrl, registryBrands }: Settings): Pick<Overview, "kicadUrl"> {
  if (!registryBrands.includes(KICAD)) return {};
  const brand = registryBrands[0] === KICAD ? "" : `/${KICAD}`;
  return { kicadUrl: `${baseUrl}/registry${brand}/repository.json` };
}

type ActivityRoute = {
  requireInstanceOwner(request: FastifyRequest): Promise<unknown>;
  read(): Promise<Activity>;
};

/** GET /api/activity: what others do concerns only the owner. */
export function serveActivity(app: App, { requireInstanceOwner, read }: ActivityRoute): void {
  app.get(
    "/api/activity",
    {
      schema: {
        tags: ["Operation"],
        summary: "Codes, sign-ins, publishes and evals of the last hour, per minute",
        access: "instance-owner",
        response: { 200: Activity },
      },
    },
    async (request, reply) => {
      reply.header("cache-control", "no-store");
      await requireInstanceOwner(request);
      return read();
    },
  );
}

function createSignInCheck({ whoIsCalling, now }: Pick<OverviewOptions, "whoIsCalling" | "now">) {
  const known = new BoundedMap<string, true>({ maxEntries: MAX_REMEMBERED, maxAgeMs: REMEMBERED_MS, now });
  return async (request: FastifyRequest): Promise<boolean> => {
    const { cookie, authorization, "x-api-key": apiKey } = request.headers;
    const credentials = createHash("sha256")
      .update(JSON.stringify([cookie, authorization, apiKey]))
      .digest("base64");
    try {
      const isSignedIn = (await whoIsCalling(request)) !== undefined;
      if (isSignedIn) known.set(credentials, true);
      else known.delete(credentials);
      return isSignedIn;
    } catch (error) {
      if (known.get(credentials)) return true;
      throw error;
    }
  };
}

/** The path as a person in that folder would write it. */
function shortPath(folder: string, path: string): string {
  const inside = relative(folder, path);
  return inside === "" || inside.startsWith("..") || isAbsolute(inside) ? path : `${inside}/`;
}
