import {
  type App,
  createRefusal,
  isFromForeignPage,
  judgeCaller,
  type LocalCaller,
  localCallerOf,
} from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { FastifyRequest } from "fastify";

export type GuardOptions = {
  token: string;
  port: number;
  homeUrl: string;
  mayReadMetrics?: (request: FastifyRequest) => boolean;
};

/** Load balancers and the overview ask these from anywhere; they reveal nothing secret. */
const OPEN_ROUTES: ReadonlySet<string | undefined> = new Set(["/health", "/ready"]);

const TOKEN_HINT = "send Authorization: Bearer with the token from watchdog-token in BACKPLANE_HOME";

/** Allows callers on this machine and callers with the token. Guards every other route, including ones added later. */
export function guardWatchdog(app: App, { token, port, homeUrl, mayReadMetrics }: GuardOptions): void {
  const url = `http://localhost:${port}`;
  const showRefusal = createRefusal({ name: "Watchdog", port, homeUrl, tokenHint: TOKEN_HINT });
  app.addHook("onRequest", (request, reply, done) => {
    if (OPEN_ROUTES.has(request.routeOptions.url)) return done();
    if (request.routeOptions.url === "/metrics" && mayReadMetrics?.(request)) return done();
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
        detail: `On the same machine, open ${url}. From elsewhere or through a proxy, ${TOKEN_HINT}.`,
        headers: { "www-authenticate": 'Bearer realm="watchdog"' },
      });
    case "token-wrong":
      return new Problem("watchdog-token-wrong", {
        detail: `From another machine, ${TOKEN_HINT}.`,
        headers: { "www-authenticate": 'Bearer realm="watchdog", error="invalid_token"' },
      });
    case "foreign-page":
      return new Problem("foreign-page", { detail: `Open ${url} and try again there.` });
  }
}

export type Verdict = "allowed" | "token-needed" | "token-wrong" | "foreign-page";

/** Loopback only; other callers need the bearer token. */
export function judge(caller: LocalCaller, token: string): Verdict {
  const verdict = judgeCaller(caller, token);
  if (verdict !== "here" && verdict !== "has-token") return verdict;
  const onlyReads = caller.method === "GET" || caller.method === "HEAD";
  // A page does not know the token, but a proxy may add it, under a host name that is not ours: only the browser's word counts.
  const { origin: _, ...others } = caller.headers;
  const headers = verdict === "has-token" ? others : caller.headers;
  return !onlyReads && isFromForeignPage({ headers }) ? "foreign-page" : "allowed";
}
