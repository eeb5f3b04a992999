import { GatewayStatus } from "@backplane/contract/gateway";
import type { Clock } from "@backplane/kit/clock";
import type { App } from "@backplane/kit/http";
import type { Settings } from "@backplane/kit/settings";
import { VERSION } from "@backplane/kit/version";
import { serveHomePage } from "./home-page.ts";

export type GatewayFigures = Pick<GatewayStatus, "pending" | "delivered" | "expired" | "connections">;

export type RouteOptions = {
  instance: string;
  startedAtMs: number;
  now: Clock;
  status: () => GatewayFigures;
  settings: Pick<Settings, "baseUrl" | "gatewayUrl" | "gatewayWsUrl">;
};

export function addGatewayRoutes(app: App, { instance, startedAtMs, now, status, settings }: RouteOptions): void {
  app.get(
    "/status",
    { schema: { summary: "How many wait, how many were delivered", response: { 200: GatewayStatus } } },
    async (_request, reply) => {
      reply.header("cache-control", "no-store");
      return {
        status: "ok" as const,
        ...status(),
        uptime: Math.floor((now() - startedAtMs) / 1_000),
        started_at: new Date(startedAtMs).toISOString(),
        version: VERSION,
        instance,
      };
    },
  );
  serveHomePage(app, settings);
}
