import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import findMyWay, { type HTTPMethod } from "find-my-way";
import { Problem } from "../problems.ts";
import { sendProblem } from "./errors.ts";

/** The page for people at an address that does not exist. */
export type NotFoundPage = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** 404, or 405 with Allow when only the method is wrong. Call it before any route is added. */
export function useNotFound(app: FastifyInstance, page: NotFoundPage | undefined): void {
  const methodsAt = findMyWay();
  const known = new Map<string, Set<HTTPMethod>>();
  app.addHook("onRoute", ({ url, method }) => {
    const methods = known.get(url) ?? new Set();
    if (!known.has(url)) methodsAt.on("GET", url, () => {}, methods);
    known.set(url, methods);
    for (const one of [method].flat()) methods.add(one as HTTPMethod);
  });
  function answer(request: FastifyRequest, reply: FastifyReply): unknown {
    const [path = "/"] = request.url.split("?", 1);
    const methods = methodsAt.find("GET", path)?.store as Set<HTTPMethod> | undefined;
    if (methods && !methods.has(request.method as HTTPMethod)) {
      const allow = [...methods].sort().join(", ");
      return sendProblem(
        reply,
        request,
        new Problem("method-not-allowed", { detail: `Use ${allow}.`, headers: { allow } }),
      );
    }
    const wantsPage = request.method === "GET" && request.headers.accept?.includes("text/html");
    return wantsPage && page ? page(request, reply) : sendProblem(reply, request, new Problem("not-found"));
  }
  app.setNotFoundHandler(answer);
  // Earlier than Fastify would: anybody may send a body here, which nobody wants to keep.
  app.addHook("preParsing", (request, reply, _body, done) => {
    if (request.is404) answer(request, reply);
    else done();
  });
}
