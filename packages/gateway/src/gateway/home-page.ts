import type { App } from "@backplane/kit/http";
import { html, renderStandalonePage, standalonePolicy, styleFor } from "@backplane/kit/page";
import type { Settings } from "@backplane/kit/settings";

/** What somebody sees who opens the gateway's address: what it is for, and the two addresses to use. */
export function serveHomePage(
  app: App,
  { baseUrl, gatewayUrl, gatewayWsUrl }: Pick<Settings, "baseUrl" | "gatewayUrl" | "gatewayWsUrl">,
): void {
  const body = html`<div class="card">
<div class="outcome"><span class="glyph ok"><svg class="i" viewBox="0 0 16 16" aria-hidden="true"><path d="M3 8.5l3.25 3.25L13 4.5"/></svg></span><div><h1>The gateway is running</h1><p>One redirect address for any number of applications. Each code goes to the one that waits for it, once.</p></div></div>
<div class="card-body"><dl class="facts"><dt>Redirect URI</dt><dd><code>${gatewayUrl}/callback</code></dd><dt>WebSocket</dt><dd><code>${gatewayWsUrl}</code></dd></dl></div>
<div class="card-body dense muted">Register the redirect URI with your provider; applications connect to the WebSocket. <a href="/status">/status</a> tells how many wait.</div>
</div>`;
  const style = styleFor(body);
  const page = renderStandalonePage({ title: "Gateway", process: "gateway", homeUrl: baseUrl, body, style });
  const policy = standalonePolicy({ styles: [style] });
  app.get("/", { schema: { hide: true } }, async (_request, reply) =>
    reply.header("content-security-policy", policy).type("text/html; charset=utf-8").send(page),
  );
}
