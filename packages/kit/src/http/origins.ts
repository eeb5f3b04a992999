import type { FastifyReply, FastifyRequest } from "fastify";
import { Problem } from "../problems.ts";
import type { App } from "./app-type.ts";

/**
 * Throws "foreign-page" when a browser says that the request comes from a page of another origin. A client that says
 * nothing is not a browser. The own origin is that of the requested host: localhost and 127.0.0.1 are two origins.
 */
export function refuseForeignPage(request: FastifyRequest): void {
  const site = request.headers["sec-fetch-site"];
  const { origin } = request.headers;
  // "none" is a person who types an address or opens a bookmark. That only reads: changes come from pages.
  const isOwnSite = site === undefined || site === "same-origin" || (site === "none" && isSafe(request.method));
  const isOwnOrigin = origin === undefined || origin.toLowerCase() === originOf(request);
  if (isOwnSite && isOwnOrigin) return;
  throw new Problem("foreign-page", {
    detail: "This takes requests of its own pages only. If it is behind a proxy, name the proxy in TRUST_PROXY.",
  });
}

/** As browsers write it, without the default port of the scheme, which some proxies add to the host name. */
function originOf({ protocol, host }: FastifyRequest): string {
  const usualPort = protocol === "https" ? /:443$/ : /:80$/;
  return `${protocol}://${host.replace(usualPort, "")}`.toLowerCase();
}

const isSafe = (method: string): boolean => method === "GET" || method === "HEAD";

/** How long a browser remembers the answer to its preflight request. */
const PREFLIGHT_LIFE_S = 600;
/** The headers that programs send. Cookies are not among them. */
const REQUEST_HEADERS = [
  ...["accept", "authorization", "content-type", "if-match", "if-none-match", "x-api-key", "x-code-verifier"],
  // Readers of event streams that are written in JavaScript.
  "last-event-id",
  // MCP clients of either era; there are no sessions.
  ...["mcp-method", "mcp-name", "mcp-protocol-version"],
].join(", ");

/** Headers of answers that pages of any origin may read. */
export const ANY_ORIGIN_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "etag, link, location, retry-after",
} as const;

export type OpenRoute = { url: string; methods: readonly string[] };

/**
 * Lets pages of any origin call these routes as programs do: identified by what they send, never by a cookie. With "*" a
 * browser sends no cookies, and hides answers to requests that had some.
 */
export function openToAnyOrigin(app: App, routes: readonly OpenRoute[]): void {
  const open = new Set(routes.flatMap(({ url, methods }) => methods.map((method) => `${method} ${url}`)));
  app.addHook("onRequest", (request, reply, done) => {
    if (open.has(`${request.method} ${request.routeOptions.url}`)) {
      reply.headers(ANY_ORIGIN_HEADERS);
    }
    done();
  });
  for (const { url, methods } of routes) {
    app.options(url, { schema: { hide: true } }, async (_request, reply) =>
      answerPreflight(reply.headers(ANY_ORIGIN_HEADERS), methods),
    );
  }
}

/**
 * Lets pages of these origins (undefined: of any) call all routes that `addRoutes` adds, in the same way. A page of
 * another origin cannot read the answers, and its preflight request is answered as if there were no such address.
 */
export async function openToOrigins(
  app: App,
  origins: readonly string[] | undefined,
  addRoutes: (scope: App) => Promise<void>,
): Promise<void> {
  const headersFor = ({ headers: { origin } }: FastifyRequest): Record<string, string> | undefined => {
    if (origins === undefined) return ANY_ORIGIN_HEADERS;
    if (origin === undefined || !origins.includes(origin)) return undefined;
    return { ...ANY_ORIGIN_HEADERS, "access-control-allow-origin": origin };
  };
  await app.register(async (open: App) => {
    const methodsOf = new Map<string, string[]>();
    if (origins?.length !== 0) {
      open.addHook("onRoute", ({ url, method }) => {
        methodsOf.set(url, [...(methodsOf.get(url) ?? []), ...[method].flat()]);
      });
      open.addHook("onRequest", (request, reply, done) => {
        reply.headers({ vary: "origin", ...headersFor(request) });
        done();
      });
    }
    // In a scope of their own: what they ask of their callers is not asked of a preflight request, which has no credential.
    await open.register(async (scope: App) => addRoutes(scope));
    for (const [url, methods] of [...methodsOf]) {
      open.options(url, { schema: { hide: true } }, async (request, reply) => {
        if (!headersFor(request)) throw new Problem("not-found");
        return answerPreflight(reply, methods);
      });
    }
  });
}

const answerPreflight = (reply: FastifyReply, methods: readonly string[]): FastifyReply =>
  reply
    .headers({
      "access-control-allow-methods": methods.join(", "),
      "access-control-allow-headers": REQUEST_HEADERS,
      "access-control-max-age": String(PREFLIGHT_LIFE_S),
    })
    .code(204)
    .send();
