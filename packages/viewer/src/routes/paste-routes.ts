import { basename } from "node:path";
import {
  PAGE_PATH,
  PASTE_ID_PATTERN,
  Paste,
  PasteList,
  PasteWithText,
  Rename,
  SearchResult,
  Widget,
} from "@backplane/contract/viewer";
import type { App } from "@backplane/kit/http";
import { Type } from "typebox";
import type { Pastes, ViewerAccess } from "../services.ts";
import type { ViewerLimits } from "./dependencies.ts";
import { openPasteFile } from "./open-paste-file.ts";
import { checkedId, IdParams, TAGS, Title, unknownPaste } from "./schemas.ts";

const ONE = `${PAGE_PATH}/:id`;

/** Read, rename, remove and restore one screenshot. */
export function servePastes(app: App, pastes: Pastes): void {
  app.get(
    ONE,
    { schema: { tags: TAGS, summary: "One screenshot", params: IdParams, response: { 200: PasteWithText } } },
    async ({ params }) => {
      const found = await pastes.read(checkedId(params.id));
      if (!found) throw unknownPaste();
      return found;
    },
  );
  app.patch(
    ONE,
    { schema: { tags: TAGS, summary: "Rename both files", params: IdParams, body: Rename, response: { 200: Paste } } },
    async ({ params, body: { name, by = "you" } }) => pastes.rename(checkedId(params.id), name, by),
  );
  app.delete(
    ONE,
    { schema: { tags: TAGS, summary: "Remove both files", params: IdParams, response: { 204: Type.Null() } } },
    async ({ params }, reply) => {
      await pastes.remove(checkedId(params.id));
      return reply.code(204).send(null);
    },
  );
  app.post(
    `${ONE}/restore`,
    { schema: { tags: TAGS, summary: "Restore a removed screenshot", params: IdParams, response: { 200: Paste } } },
    async ({ params }) => pastes.restore(checkedId(params.id)),
  );
}

/** Lists screenshots, newest first, and searches their names and texts. */
export function serveLists(app: App, pastes: Pastes, limits: ViewerLimits): void {
  const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: limits.maxListed }));
  const ListQuery = Type.Object({
    limit: Limit,
    before: Type.Optional(
      Type.String({ pattern: PASTE_ID_PATTERN, description: "An id: lists only older screenshots" }),
    ),
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
    async ({ query: { limit = limits.defaultListed, before } }) => pastes.list({ limit, before }),
  );
  app.get(
    `${PAGE_PATH}/search`,
    {
      schema: {
        tags: TAGS,
        summary: "Search screenshots by name and text",
        querystring: SearchQuery,
        response: { 200: SearchResult },
      },
    },
    async ({ query: { q, limit = limits.defaultListed } }) => ({ hits: await pastes.search(q, limit) }),
  );
}

/** The pictures themselves. */
export function serveFiles(app: App, pastes: Pastes): void {
  for (const file of ["optimized", "original"] as const) {
    app.get(
      `${ONE}/${file}.png`,
      {
        compress: false,
        schema: { tags: TAGS, summary: `The ${file} file`, params: IdParams, produces: ["image/png"] },
      },
      async ({ params }, reply) => {
        const { path, bytes, handle } = await openPasteFile(pastes, checkedId(params.id), file);
        return reply
          .headers({
            "content-length": String(bytes),
            // The current name: letters, digits and hyphens, which RFC 6266 allows without encoding.
            "content-disposition": `inline; filename="${basename(path)}"`,
          })
          .type("image/png")
          .send(handle.createReadStream({ end: Math.max(0, bytes - 1) }));
      },
    );
  }
  app.get(
    `${ONE}/thumbnail.webp`,
    {
      compress: false,
      schema: { tags: TAGS, summary: "A thumbnail", params: IdParams, produces: ["image/webp"] },
    },
    async ({ params }, reply) => {
      const bytes = await pastes.thumbnail(checkedId(params.id));
      return reply.header("content-disposition", 'inline; filename="thumbnail.webp"').type("image/webp").send(bytes);
    },
  );
}

const OpenWidget = Type.Object({ title: Type.Optional(Title) });

/** Opens the page in a workspace. Returns its address even if no panel could show it. */
export function serveWidget(app: App, access: Pick<ViewerAccess, "openWidget">): void {
  app.post(
    `${PAGE_PATH}/widget`,
    {
      schema: {
        tags: TAGS,
        summary: "Open the page in a panel of the workspace",
        body: OpenWidget,
        response: { 200: Widget },
      },
    },
    async ({ body }) => access.openWidget(body.title),
  );
}
