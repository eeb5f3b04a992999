import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { PAGE_PATH, PAGE_TOKEN_HEADER } from "@backplane/contract/viewer";
import {
  type App,
  bearerToken,
  createRefusal,
  isFromForeignPage,
  isSameSecret,
  judgeCaller,
  localCallerOf,
  readOrMakeToken,
} from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { FastifyRequest } from "fastify";
import type { PageTokens, PageTokenVerdict } from "./page-tokens.ts";
import { createHostCheck } from "./plain-caller.ts";
import { allowSandbox, isCalledByPage, isSandboxOrigin } from "./sandbox-origin.ts";

export type GuardOptions = {
  tokens: PageTokens;
  /** For programs on this machine; see server.json. */
  secret: string;
  /** For callers on other machines; see `openViewerToken`. */
  viewerToken: string;
  /** The public address of the viewer. */
  url: string;
  allowedHosts?: readonly string[];
  mayReadMetrics?: (request: FastifyRequest) => boolean;
  port: number;
  homeUrl: string;
};

/** Load balancers and the overview ask these from anywhere; they reveal nothing secret. */
const OPEN_ROUTES: ReadonlySet<string | undefined> = new Set(["/health", "/ready"]);

const TOKEN_HINT = "send Authorization: Bearer with the token from viewer-token in BACKPLANE_HOME";

/**
 * Allows callers on this machine and callers with the token; never requests with an unknown host name or from a page of
 * another site. Calls of our page also need its token. Guards every route, including MCP and routes added later.
 */
export function guardViewer(app: App, options: GuardOptions): void {
  const { tokens, secret, viewerToken, port, homeUrl } = options;
  const here = `http://localhost:${port}${PAGE_PATH}`;
  const isKnownHost = createHostCheck(options.url, options.allowedHosts);
  const requireToken = createTokenCheck({ tokens, secrets: [secret, viewerToken] });
  const showRefusal = createRefusal({ name: "Viewer", port, homeUrl, path: PAGE_PATH, tokenHint: TOKEN_HINT });
  app.addHook("onRequest", (request, reply, done) => {
    if (OPEN_ROUTES.has(request.routeOptions.url)) return done();
    if (request.routeOptions.url === "/metrics" && options.mayReadMetrics?.(request)) return done();
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
      return done(new Problem("foreign-page", { detail: `Open ${here} and try again there.` }));
    }
    if (!isCalledByPage(request)) return done();
    if (isSandboxOrigin(request)) allowSandbox(reply);
    // The preflight of a browser comes without the token.
    done(request.method === "OPTIONS" ? undefined : requireToken(request));
  });
}

function refusalOf(verdict: "token-needed" | "token-wrong", here: string): Problem {
  return verdict === "token-needed"
    ? new Problem("viewer-token-needed", {
        detail: `On the same machine, open ${here}. From elsewhere or through a proxy, ${TOKEN_HINT}.`,
        headers: { "www-authenticate": 'Bearer realm="viewer"' },
      })
    : new Problem("viewer-token-wrong", {
        detail: `From another machine, ${TOKEN_HINT}.`,
        headers: { "www-authenticate": 'Bearer realm="viewer", error="invalid_token"' },
      });
}

/**
 * Whether a browser says that the request comes from a page that is not ours. It is refused whatever token it sends. A page
 * without an origin may be ours: it proves that with the token, on the routes that our page calls.
 */
function isForeignPage(request: FastifyRequest): boolean {
  if (!isFromForeignPage(request, request.host)) return false;
  if (isSandboxOrigin(request)) return !isCalledByPage(request);
  return !isNavigation(request);
}

/** A link to the page, or a frame that shows it. The page's policy says who may frame it; other pages cannot read it. */
const isNavigation = ({ method, headers }: FastifyRequest): boolean =>
  (method === "GET" || method === "HEAD") && headers.origin === undefined && headers["sec-fetch-mode"] === "navigate";

export type KnownTokens = {
  tokens: PageTokens;
  /** For programs: the one in server.json, and the one for other machines. */
  secrets: readonly string[];
};

const RELOAD = "Reload the page.";

/**
 * A page sends its token, a program sends the secret. Returns what is wrong with either. A proxy that asks people for a
 * password adds the secret to all that their browsers send, so from a sandboxed frame, which may be anybody's, it proves
 * nothing.
 */
function createTokenCheck({ tokens, secrets }: KnownTokens): (request: FastifyRequest) => Problem | undefined {
  return (request) => {
    const { headers } = request;
    const pageToken = headers[PAGE_TOKEN_HEADER];
    if (typeof pageToken === "string") return pageTokenRefusal(tokens.check(pageToken));
    const secret = isSandboxOrigin(request) ? undefined : bearerToken(headers.authorization);
    if (secret === undefined) {
      return new Problem("page-token-needed", {
        detail:
          `Use the viewer's page, or send its token as ${PAGE_TOKEN_HEADER}. Programs on this machine send ` +
          "Authorization: Bearer with the secret from screenshots/sp/.pastes/server.json.",
        headers: { "www-authenticate": 'Bearer realm="viewer"' },
      });
    }
    // Compares with all secrets, so that the time reveals nothing.
    const isKnown = secrets.map((known) => isSameSecret(secret, known)).includes(true);
    return isKnown
      ? undefined
      : new Problem("page-token-wrong", {
          detail: "The viewer may have been restarted: read its secret again.",
          headers: { "www-authenticate": 'Bearer realm="viewer", error="invalid_token"' },
        });
  };
}

function pageTokenRefusal(verdict: PageTokenVerdict): Problem | undefined {
  switch (verdict) {
    case "ok":
      return undefined;
    case "wrong":
      return new Problem("page-token-wrong", { detail: RELOAD });
    case "expired":
      return new Problem("page-token-wrong", { detail: `The page has been open for too long. ${RELOAD}` });
    case "other-project":
      return new Problem("other-project", {
        detail: `The viewer at this address now serves another project. ${RELOAD}`,
      });
  }
}

/** The token for callers on other machines: in `$BACKPLANE_HOME/viewer-token`, created at the first start. */
export const openViewerToken = (home: string): string =>
  readOrMakeToken(join(home, "viewer-token"), "viewer", randomBytes);
