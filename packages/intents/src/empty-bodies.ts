import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { FastifyRequest } from "fastify";

/** JSON, or nothing: an empty body is as good as none, whatever type it is said to be. Call it on a scope of its own. */
export function takeEmptyBodies(scope: App): void {
  const parseJson = scope.getDefaultJsonParser("error", "error");
  type Done = (error: Error | null, body?: unknown) => void;
  const json = (request: FastifyRequest, body: string, done: Done): void => {
    if (body === "") done(null, undefined);
    else parseJson(request, body, done);
  };
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("application/json", { parseAs: "string" }, json);
  scope.addContentTypeParser("*", { parseAs: "string" }, (request: FastifyRequest, body: string, done: Done) => {
    const isUnsaid = request.headers["content-type"] === undefined;
    if (body === "" || isUnsaid) json(request, body, done);
    else done(new Problem("unsupported-media-type", { detail: "Send JSON." }));
  });
}

/** A route's `preValidation` hook: no body means no fields. */
export const noBodyIsNoFields = (request: FastifyRequest, _reply: unknown, done: () => void): void => {
  if (request.body === undefined) request.body = {};
  done();
};
