import type { FastifyRequest } from "fastify";
import { Problem } from "../problems.ts";
import type { App } from "./app-type.ts";

/**
 * Throws "foreign-page" when a browser says that a page of another origin makes this request. What says nothing is no
 * browser, and no page stands behind it. Goes by the host that was asked: localhost and 127.0.0.1 are origins of their own.
 */
export function refuseForeignPage(request: FastifyRequest): void {
  const site = request.headers["sec-fetch-site"];
  const { origin } = request.headers;
  // A person who types an address or opens a bookmark ("none") reads; whatever changes something comes from a page.
  const isOwnSite = site === undefined || site === "same-origin" || (site === "none" && isSafe(request.method));
  const isOwnOrigin = origin === undefined || origin.toLowerCase() === originOf(request);
  if (isOwnSite && isOwnOrigin) return;
  throw new Problem("foreign-page", {
    detail: "This takes requests of its own pages only. If it is behind a proxy, name the proxy in TRUST_PROXY.",
  });
}

/** As browsers write it: without the port that the scheme has anyway, which some proxies add to the host's name. */
function originOf({ protocol, host }: FastifyRequest): string {
  const usualPort = protocol === "https" ? /:443$/ : /:80$/;
  return `${protocol}://${host.replace(usualPort, "")}`.toLowerCase();
}

const isSafe = (method: string): boolean => method === "GET" || method === "HEAD";

/** A browser asks about a route again after this long. */
const PREFLIGHT_LIFE_S = 600;
/** What programs send us; a cookie is not among it. */
const REQUEST_HEADERS = "accept, authorization, content-type, x-code-verifier";

/** What an answer carries that pages of any origin may read. */
export const ANY_ORIGIN_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "location, retry-after",
} as const;

export type OpenRoute = { url: string; methods: readonly string[] };

/**
 * Lets pages of any origin call these routes, as programs do: by what they send, never by who is signed in. A browser
 * that was told "*" neither sends cookies along nor shows an answer that was asked for with them.
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
      reply
        .headers({
          "access-control-allow-origin": "*",
          "access-control-allow-methods": methods.join(", "),
          "access-control-allow-headers": REQUEST_HEADERS,
          "access-control-max-age": String(PREFLIGHT_LIFE_S),
        })
        .code(204)
        .send(),
    );
  }
}
