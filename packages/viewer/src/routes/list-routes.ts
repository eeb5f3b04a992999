import { PAGE_PATH, PASTE_ID_PATTERN, PasteList, SearchResult } from "@backplane/contract/viewer";
import type { App } from "@backplane/kit/http";
import { Type } from "typebox";
import type { Pastes } from "../services.ts";
import type { ViewerLimits } from "./ground.ts";
import { NO_STORE, TAGS } from "./schemas.ts";

/** The screenshots that there are, newest first, and those whose name or text says something. */
export function serveLists(app: App, pastes: Pastes, limits: ViewerLimits): void {
  const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: limits.maxListed }));
  const ListQuery = Type.Object({
    limit: Limit,
    before: Type.Optional(Type.String({ pattern: PASTE_ID_PATTERN, description: "An id: those older than it" })),
  });
  const SearchQuery = Type.Object({
    q: Type.String({ minLength: 1, maxLength: limits.maxQueryCharacters }),
    limit: Limit,
  });

  app.get(
    `${PAGE_PATH}/list`,
    {
      schema: {
        tags: TAGS,
        summary: "Screenshots, newest first",
        querystring: ListQuery,
        response: { 200: PasteList },
      },
    },
    async (request, reply) => {
      reply.headers(NO_STORE);
      const { limit = limits.usuallyListed, before } = request.query;
      return pastes.list({ limit, before });
    },
  );
  app.get(
    `${PAGE_PATH}/search`,
    {
      schema: {
        tags: TAGS,
        summary: "Screenshots by their names and the text in them",
        querystring: SearchQuery,
        response: { 200: SearchResult },
      },
    },
    async (request, reply) => {
      reply.headers(NO_STORE);
      const { q, limit = limits.usuallyListed } = request.query;
      return { hits: await pastes.search(q, limit) };
    },
  );
}
