import { PAGE_PATH } from "@backplane/contract/viewer";
import { type App, createRefusal, judgeCaller, localCallerOf } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { createHostCheck } from "./hosts.ts";
import { isForeignPage } from "./origins.ts";
import type { PageTokens } from "./page-tokens.ts";
import { createTokenCheck } from "./require-token.ts";
import { allowSandbox, isCalledByPage, isSandboxOrigin } from "./sandbox-origin.ts";

export type GuardOptions = {
  tokens: PageTokens;
  /** Of programs of this machine; see server.json. */
  secret: string;
  /** Whoever sends it is let in from elsewhere; see `openViewerToken`. */
  viewerToken: string;
  /** Where people reach the viewer. */
  url: string;
  /** On this machine. */
  port: number;
  homeUrl: string;
};

/** Whether it is up is no secret: load balancers and the overview ask from anywhere. */
const OPEN_ROUTES: ReadonlySet<string | undefined> = new Set(["/health", "/ready"]);

const TOKEN_HINT = "send Authorization: Bearer with the token from viewer-token in BACKPLANE_HOME";

/**
 * Lets in who is on this machine, and who has the token; whoever asks by a strange name, or from a page of another
 * site, never. What the page calls needs its token besides. Everything that the app answers is behind it, MCP too,
 * whenever it was added.
 */
export function guardViewer(app: App, options: GuardOptions): void {
  const { tokens, secret, viewerToken, port, homeUrl } = options;
  const here = `http://localhost:${port}${PAGE_PATH}`;
  const isKnownHost = createHostCheck(options.url);
  const requireToken = createTokenCheck({ tokens, secrets: [secret, viewerToken] });
  const showRefusal = createRefusal({ name: "Viewer", port, homeUrl, path: PAGE_PATH, tokenHint: TOKEN_HINT });
  app.addHook("onRequest", (request, reply, done) => {
    if (OPEN_ROUTES.has(request.routeOptions.url)) return done();
    if (!isKnownHost(request)) {
      return done(new Problem("host-unknown", { detail: `Open ${here}, or set VIEWER_URL to the address you use.` }));
    }
    const verdict = judgeCaller(localCallerOf(request), viewerToken);
    if (verdict === "token-needed" || verdict === "token-wrong") {
      const problem = refusalOf(verdict, here);
      if (!showRefusal(request, reply, problem)) done(problem);
      return;
    }
    if (isForeignPage(request)) {
      return done(new Problem("foreign-page", { detail: `Open ${here} and do it there.` }));
    }
    if (!isCalledByPage(request)) return done();
    if (isSandboxOrigin(request)) allowSandbox(reply);
    // A browser asks first without the token whether it may send it.
    done(request.method === "OPTIONS" ? undefined : requireToken(request));
  });
}

function refusalOf(verdict: "token-needed" | "token-wrong", here: string): Problem {
  return verdict === "token-needed"
    ? new Problem("viewer-token-needed", {
        detail: `On its own machine, open ${here}. From elsewhere, or through a proxy, ${TOKEN_HINT}.`,
        headers: { "www-authenticate": 'Bearer realm="viewer"' },
      })
    : new Problem("viewer-token-wrong", {
        detail: `Off its own machine, ${TOKEN_HINT}.`,
        headers: { "www-authenticate": 'Bearer realm="viewer", error="invalid_token"' },
      });
}
