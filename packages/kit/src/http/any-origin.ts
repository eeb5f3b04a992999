import type { App } from "./app-type.ts";

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
