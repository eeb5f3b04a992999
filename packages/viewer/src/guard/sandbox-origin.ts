import { PAGE_PATH, PAGE_TOKEN_HEADER } from "@backplane/contract/viewer";
import type { App } from "@backplane/kit/http";
import type { FastifyReply, FastifyRequest } from "fastify";

/** A browser asks about a route again after this long. */
const PREFLIGHT_LIFE_S = 600;

/** What a page in a sandboxed frame calls itself, ours as well as anybody's. */
export const isSandboxOrigin = ({ headers }: FastifyRequest): boolean => headers.origin === "null";

/**
 * Whether it is a route that our page calls, with its token; from a sandboxed frame, too. The page itself is none: it
 * holds a token, and everybody's sandboxed frame could read it out of there.
 */
export function isCalledByPage({ method, routeOptions: { url = "" } }: FastifyRequest): boolean {
  if (url === PAGE_PATH) return method !== "GET" && method !== "HEAD";
  return url.startsWith(`${PAGE_PATH}/`);
}

/** The page may read the answer, also one that says what went wrong. */
export const allowSandbox = (reply: FastifyReply): FastifyReply =>
  reply.headers({
    "access-control-allow-origin": "null",
    "access-control-expose-headers": "content-disposition, location, retry-after",
    vary: "origin",
  });

type Preflighted = { url: string; methods: readonly string[] };

/** What a browser asks first when a page without an origin wants to send the token. */
export function answerPreflights(app: App, routes: readonly Preflighted[]): void {
  for (const { url, methods } of routes) {
    app.options(url, { schema: { hide: true } }, async (_request, reply) =>
      reply
        .headers({
          "access-control-allow-methods": methods.join(", "),
          "access-control-allow-headers": `${PAGE_TOKEN_HEADER}, content-type`,
          "access-control-max-age": String(PREFLIGHT_LIFE_S),
        })
        .code(204)
        .send(),
    );
  }
}
