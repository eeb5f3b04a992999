import { PAGE_PATH, VIEWER_LIMITS, Widget } from "@backplane/contract/viewer";
import type { Clock } from "@backplane/kit/clock";
import type { App } from "@backplane/kit/http";
import { Type } from "typebox";
import { answerPreflights } from "../access/sandbox-origin.ts";
import type { ViewerAccess } from "../services.ts";
import type { ViewerDependencies, ViewerLimits } from "./dependencies.ts";
import { serveEvents } from "./event-route.ts";
import { servePage } from "./page-route.ts";
import { serveFiles, serveLists, servePastes } from "./paste-routes.ts";
import { NO_STORE, TAGS, Title } from "./schemas.ts";
import { serveUploads } from "./upload-route.ts";

type Options = ViewerDependencies & { now?: Clock; limits?: Partial<ViewerLimits> };

/** All of /screenshot-paste. Who may call what is `guardViewer`'s business. */
export function serveViewer(app: App, { now = Date.now, limits: given, ...dependencies }: Options): void {
  const limits: ViewerLimits = { ...VIEWER_LIMITS, ...given };
  answerPreflights(app, [
    { url: PAGE_PATH, methods: ["POST"] },
    ...["list", "search", "events"].map((name) => ({ url: `${PAGE_PATH}/${name}`, methods: ["GET"] })),
    { url: `${PAGE_PATH}/widget`, methods: ["POST"] },
    { url: `${PAGE_PATH}/:id`, methods: ["GET", "PATCH", "DELETE"] },
    { url: `${PAGE_PATH}/:id/restore`, methods: ["POST"] },
    ...["optimized.png", "original.png", "thumbnail.webp"].map((file) => ({
      url: `${PAGE_PATH}/:id/${file}`,
      methods: ["GET"],
    })),
  ]);
  servePage(app, dependencies);
  serveUploads(app, { ...dependencies, now, limits });
  serveLists(app, dependencies.pastes, limits);
  serveEvents(app, dependencies.pastes, limits);
  serveWidget(app, dependencies.access);
  servePastes(app, dependencies.pastes);
  serveFiles(app, dependencies.pastes);
}

const OpenWidget = Type.Object({ title: Type.Optional(Title) }, { additionalProperties: false });

/** Opens the page in the workspace; answers with its address, also when no panel could show it. */
function serveWidget(app: App, access: Pick<ViewerAccess, "openWidget">): void {
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
