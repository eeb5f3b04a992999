import { PAGE_PATH, Paste, PasteWithText, Rename } from "@backplane/contract/viewer";
import type { App } from "@backplane/kit/http";
import { Type } from "typebox";
import type { Pastes } from "../services.ts";
import { checkedId, unknownPaste } from "./paste-id.ts";
import { IdParams, NO_STORE, TAGS } from "./schemas.ts";

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
