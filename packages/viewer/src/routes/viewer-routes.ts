import { PAGE_PATH, VIEWER_LIMITS } from "@backplane/contract/viewer";
import type { Clock } from "@backplane/kit/clock";
import type { App } from "@backplane/kit/http";
import { answerPreflights } from "../guard/sandbox-origin.ts";
import type { ViewerDependencies, ViewerLimits } from "./dependencies.ts";
import { serveEvents } from "./event-route.ts";
import { servePage } from "./page-route.ts";
import { serveFiles, serveLists, servePastes, serveWidget } from "./paste-routes.ts";
import { NO_STORE } from "./schemas.ts";
import { serveUploads } from "./upload-route.ts";

type Options = ViewerDependencies & { now?: Clock; limits?: Partial<ViewerLimits> };

/** All of /screenshot-paste. `guardViewer` decides who may call. */
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
  serveEvents(app, dependencies.pastes, limits);
  app.register(async (scope: App) => {
    scope.addHook("onRequest", (_request, reply, done) => {
      reply.headers(NO_STORE);
      done();
    });
    serveLists(scope, dependencies.pastes, limits);
    serveWidget(scope, dependencies.access);
    servePastes(scope, dependencies.pastes);
    serveFiles(scope, dependencies.pastes);
  });
}
