import { basename } from "node:path";
import {
  PAGE_PATH,
  PASTE_ID_PATTERN,
  Paste,
  PasteList,
  PasteWithText,
  Rename,
  SearchResult,
} from "@backplane/contract/viewer";
import type { App } from "@backplane/kit/http";
import { Type } from "typebox";
import type { Pastes } from "../services.ts";
import type { ViewerLimits } from "./dependencies.ts";
import { openPasteFile } from "./open-paste-file.ts";
import { checkedId, IdParams, NO_STORE, TAGS, unknownPaste } from "./schemas.ts";

const ONE = `${PAGE_PATH}/:id`;

/** One screenshot: what it is, its name, its end and its return. */
export function servePastes(app: App, pastes: Pastes): void {
  app.get(
    ONE,
    { schema: { tags: TAGS, summary: "One screenshot", params: IdParams, response: { 200: PasteWithText } } },
    async (request, reply) => {
      const found = await pastes.read(checkedId(request.params.id));
      if (!found) throw unknownPaste();
      reply.headers(NO_STORE);
      return found;
    },
  );
  app.patch(
    ONE,
    {
      schema: {
        tags: TAGS,
        summary: "Rename both files",
        params: IdParams,
        body: Rename,
        response: { 200: Paste },
      },
    },
    async (request, reply) => {
      const { name, by = "you" } = request.body;
      reply.headers(NO_STORE);
      return pastes.rename(checkedId(request.params.id), name, by);
    },
  );
  app.delete(
    ONE,
    { schema: { tags: TAGS, summary: "Remove both files", params: IdParams, response: { 204: Type.Null() } } },
    async (request, reply) => {
      await pastes.remove(checkedId(request.params.id));
      return reply.code(204).headers(NO_STORE).send(null);
    },
  );
  app.post(
    `${ONE}/restore`,
    { schema: { tags: TAGS, summary: "Put back what was removed", params: IdParams, response: { 200: Paste } } },
    async (request, reply) => {
      reply.headers(NO_STORE);
      return pastes.restore(checkedId(request.params.id));
    },
  );
}

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

/** The pictures themselves. */
export function serveFiles(app: App, pastes: Pastes): void {
  for (const file of ["optimized", "original"] as const) {
    app.get(
      `${PAGE_PATH}/:id/${file}.png`,
      {
        compress: false,
        schema: { tags: TAGS, summary: `The ${file} file`, params: IdParams, produces: ["image/png"] },
      },
      async (request, reply) => {
        const { path, bytes, handle } = await openPasteFile(pastes, checkedId(request.params.id), file);
        return reply
          .headers({
            ...NO_STORE,
            "content-length": String(bytes),
            // As it is called now; letters, digits and hyphens, which RFC 6266 takes as they are.
            "content-disposition": `inline; filename="${basename(path)}"`,
          })
          .type("image/png")
          .send(handle.createReadStream({ end: Math.max(0, bytes - 1) }));
      },
    );
  }
  app.get(
    `${PAGE_PATH}/:id/thumbnail.webp`,
    {
      compress: false,
      schema: { tags: TAGS, summary: "A small picture of it", params: IdParams, produces: ["image/webp"] },
    },
    async (request, reply) => {
      const bytes = await pastes.thumbnail(checkedId(request.params.id));
      return reply
        .headers({ ...NO_STORE, "content-disposition": 'inline; filename="thumbnail.webp"' })
        .type("image/webp")
        .send(bytes);
    },
  );
}
