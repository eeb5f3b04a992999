import { GatewayStatus } from "@backplane/contract/gateway";
import type { Clock } from "@backplane/kit/clock";
import type { App } from "@backplane/kit/http";
import { lazily } from "@backplane/kit/lazily";
import { html, renderStandalonePage, standalonePolicy, styleFor } from "@backplane/kit/page";
import type { Settings } from "@backplane/kit/settings";
import { VERSION } from "@backplane/kit/version";

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
    { schema: { summary: "Pending, delivered and expired registrations", response: { 200: GatewayStatus } } },
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

/** The page at the gateway's own address: what it is for, and which two addresses to use. */
function serveHomePage(
  app: App,
  { baseUrl, gatewayUrl, gatewayWsUrl }: Pick<Settings, "baseUrl" | "gatewayUrl" | "gatewayWsUrl">,
): void {
  const body = html`<div class="card">
<div class="outcome"><span class="glyph ok"><svg class="i" viewBox="0 0 16 16" aria-hidden="true"><path d="M3 8.5l3.25 3.25L13 4.5"/></svg></span><div><h1>The gateway is running</h1><p>One redirect URI for any number of applications. Each code is delivered once, to the application that waits for it.</p></div></div>
<div class="card-body"><dl class="facts"><dt>Redirect URI</dt><dd><code>${gatewayUrl}/callback</code></dd><dt>WebSocket</dt><dd><code>${gatewayWsUrl}</code></dd></dl></div>
<div class="card-body dense muted">Register the redirect URI with your provider, and connect your applications to the WebSocket. <a href="/status">/status</a> shows how many are waiting.</div>
</div>`;
  const home = lazily(() => {
    const style = styleFor(body);
    const page = renderStandalonePage({ title: "Gateway", process: "gateway", homeUrl: baseUrl, body, style });
    return { page, policy: standalonePolicy({ styles: [style] }) };
  });
  app.get("/", { schema: { hide: true } }, async (_request, reply) => {
    const { page, policy } = home();
    return reply.header("content-security-policy", policy).type("text/html; charset=utf-8").send(page);
  });
}
