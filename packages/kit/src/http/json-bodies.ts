import type { FastifyInstance } from "fastify";
import { readWhole } from "./bodies.ts";

/** Bodies of JSON, by Fastify's rules, but read by us: see `readWhole`. */
export function useJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", (request, payload, done) => {
    readWhole(payload, request.routeOptions.bodyLimit, (error, body) => {
      if (error) done(error);
      else parse(request, body.toString("utf8"), done);
    });
  });
}
