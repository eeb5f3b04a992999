import { type App, createRefusal, localCallerOf } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { judge, type Verdict } from "./access-rules.ts";

export type GuardOptions = { token: string; port: number; homeUrl: string };

/** Whether it is up is no secret: load balancers and the overview ask from anywhere. */
const OPEN_ROUTES: ReadonlySet<string | undefined> = new Set(["/health", "/ready"]);

const TOKEN_HINT = "send Authorization: Bearer with the token from watchdog-token in BACKPLANE_HOME";

/** Lets in who is on this machine, and who has the token. Everything else that the app answers is behind it, whenever it was added. */
export function guardWatchdog(app: App, { token, port, homeUrl }: GuardOptions): void {
  const url = `http://localhost:${port}`;
  const showRefusal = createRefusal({ name: "Watchdog", port, homeUrl, tokenHint: TOKEN_HINT });
  app.addHook("onRequest", (request, reply, done) => {
    if (OPEN_ROUTES.has(request.routeOptions.url)) return done();
    const verdict = judge(localCallerOf(request), token);
    if (verdict === "allowed") return done();
    const problem = refusalOf(verdict, url);
    if (!showRefusal(request, reply, problem)) done(problem);
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
