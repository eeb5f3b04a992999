import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { prefersHtml } from "../prefers-html.ts";
import { renderRefusal, TOKEN_HINT } from "./refusal-page.ts";
import { judge, type Verdict } from "./rules.ts";

export type GuardOptions = { token: string; port: number; homeUrl: string };

/** Whether it is up is no secret: load balancers and the overview ask from anywhere. */
const OPEN_ROUTES: ReadonlySet<string | undefined> = new Set(["/health", "/ready"]);

/** Lets in who is on this machine, and who has the token. Everything else that the app answers is behind it, whenever it was added. */
export function guardWatchdog(app: App, { token, port, homeUrl }: GuardOptions): void {
  const url = `http://localhost:${port}`;
  const refusal = renderRefusal({ port, homeUrl });
  app.addHook("onRequest", (request, reply, done) => {
    if (OPEN_ROUTES.has(request.routeOptions.url)) return done();
    const verdict = judge(
      {
        method: request.method,
        peer: request.socket.remoteAddress ?? "",
        address: request.ip,
        isForwardedByTrusted: (request.ips?.length ?? 1) > 1,
        headers: request.headers,
      },
      token,
    );
    if (verdict === "allowed") return done();
    const problem = refusalOf(verdict, url);
    if (request.method !== "GET" || !prefersHtml(request.headers.accept)) return done(problem);
    reply
      .code(problem.status)
      .headers({ ...problem.headers, "content-security-policy": refusal.policy, "cache-control": "no-store" })
      .type("text/html; charset=utf-8")
      .send(refusal.page);
  });
}

function refusalOf(verdict: Exclude<Verdict, "allowed">, url: string): Problem {
  switch (verdict) {
    case "token-needed":
      return new Problem("watchdog-token-needed", {
        detail: `On its own machine, open ${url}. From elsewhere, or through a proxy, ${TOKEN_HINT}.`,
        headers: { "www-authenticate": 'Bearer realm="watchdog"' },
      });
    case "token-wrong":
      return new Problem("watchdog-token-wrong", {
        detail: `Off its own machine, ${TOKEN_HINT}.`,
        headers: { "www-authenticate": 'Bearer realm="watchdog", error="invalid_token"' },
      });
    case "foreign-page":
      return new Problem("foreign-page", { detail: `Open ${url} and do it there.` });
  }
}
