import { existsSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { Overview, PROBE_CACHE_MS, type ProcessReport } from "@backplane/contract/platform";
import type { Clock } from "@backplane/kit/clock";
import type { App } from "@backplane/kit/http";
import { isLoopback, type Settings } from "@backplane/kit/settings";
import { VERSION } from "@backplane/kit/version";
import { probe, targetsOf } from "./probe.ts";

export type OverviewOptions = {
  settings: Settings;
  folder: string;
  database: Overview["database"];
  bus: Overview["bus"];
  now: Clock;
  fetch: typeof globalThis.fetch;
};

/** GET /api/overview: which processes are up. Each is asked at most once per second, however many people look. */
export function serveOverview(app: App, { settings, folder, database, bus, now, fetch }: OverviewOptions): void {
  const startedAt = new Date(now()).toISOString();
  const ownerFile = existsSync(join(settings.home, "owner.json"));
  const home = isLoopback(settings.host) ? { home: shortPath(folder, settings.home) } : {};
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
        response: { 200: Overview },
      },
    },
    async (_request, reply) => {
      reply.header("cache-control", "no-store");
      return {
        version: VERSION,
        startedAt,
        database,
        bus,
        ...home,
        ownerFile,
        processes: await recentReports(),
      };
    },
  );
}

/** The path as a person in that folder would write it. */
function shortPath(folder: string, path: string): string {
  const inside = relative(folder, path);
  return inside === "" || inside.startsWith("..") || isAbsolute(inside) ? path : `${inside}/`;
}
