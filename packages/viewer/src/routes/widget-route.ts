import { PAGE_PATH, Widget } from "@backplane/contract/viewer";
import type { App } from "@backplane/kit/http";
import { Type } from "typebox";
import type { ViewerAccess } from "../services.ts";
import { NO_STORE, TAGS, Title } from "./schemas.ts";

const OpenWidget = Type.Object({ title: Type.Optional(Title) }, { additionalProperties: false });

/** Opens the page in the workspace; answers with its address, also when no panel could show it. */
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
    async (request, reply) => {
      reply.headers(NO_STORE);
      return access.openWidget(request.body.title);
    },
  );
}
