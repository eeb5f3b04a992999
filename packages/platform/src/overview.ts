import { existsSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { Activity, type Overview, OverviewAnswer, type ProcessReport } from "@backplane/contract/platform";
import type { WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { App } from "@backplane/kit/http";
import { isLoopback, type Settings } from "@backplane/kit/settings";
import { VERSION } from "@backplane/kit/version";
import type { FastifyRequest } from "fastify";
import { rememberCallers } from "./remember-callers.ts";

export type OverviewOptions = {
  settings: Settings;
  folder: string;
  database: Overview["database"];
  bus: Overview["bus"];
  now: Clock;
  reports: () => Promise<ProcessReport[]>;
  whoIsCalling: WhoIsCalling;
};

const KICAD = "kicad";

/**
 * GET /api/overview: which processes are up. Strangers are told only that it runs.
 */
export function serveOverview(app: App, options: OverviewOptions): void {
  const { settings, folder, database, bus, now, reports, whoIsCalling } = options;
  const isSignedIn = rememberCallers(async (request) => (await whoIsCalling(request)) !== undefined, now);
  const startedAt = new Date(now()).toISOString();
  const ownerFile = existsSync(join(settings.home, "owner.json"));
  const home = isLoopback(settings.host) ? { home: shortPath(folder, settings.home) } : {};
  const kicad = kicadUrl(settings);
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
        processes: await reports(),
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

/** The path as a person in that folder would write it. */
function shortPath(folder: string, path: string): string {
  const inside = relative(folder, path);
  return inside === "" || inside.startsWith("..") || isAbsolute(inside) ? path : `${inside}/`;
}
