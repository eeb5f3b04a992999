import { PAGE_PATH, PAGE_TOKEN_HEADER } from "@backplane/contract/viewer";
import type { App } from "@backplane/kit/http";
import type { FastifyReply, FastifyRequest } from "fastify";

/** How long a browser remembers the answer. */
const PREFLIGHT_LIFE_S = 600;

/** The origin of every page in a sandboxed frame, ours and others. */
export const isSandboxOrigin = ({ headers }: FastifyRequest): boolean => headers.origin === "null";

/**
 * Whether our page calls this route, with its token and maybe from a sandboxed frame. The page itself is not one of them:
 * it contains a token, which any sandboxed frame could then read.
 */
export function isCalledByPage({ method, routeOptions: { url = "" } }: FastifyRequest): boolean {
  if (url === PAGE_PATH) return method !== "GET" && method !== "HEAD";
  return url.startsWith(`${PAGE_PATH}/`);
}

/** Lets the page read the answer, including errors. */
export const allowSandbox = (reply: FastifyReply): FastifyReply =>
  reply.headers({
    "access-control-allow-origin": "null",
    "access-control-expose-headers": "content-disposition, location, retry-after",
    vary: "origin",
  });

type PreflightRoute = { url: string; methods: readonly string[] };

/** Answers the CORS preflights of a page in a sandboxed frame. */
export function answerPreflights(app: App, routes: readonly PreflightRoute[]): void {
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
