import { PAGE_PATH, VIEWER_LIMITS } from "@backplane/contract/viewer";
import type { Clock } from "@backplane/kit/clock";
import type { App } from "@backplane/kit/http";
import { answerPreflights } from "../access/index.ts";
import { serveEvents } from "./event-route.ts";
import { serveFiles } from "./file-routes.ts";
import type { ViewerGround, ViewerLimits } from "./ground.ts";
import { serveLists } from "./list-routes.ts";
import { servePage } from "./page-route.ts";
import { servePastes } from "./paste-routes.ts";
import { serveUploads } from "./upload-route.ts";
import { serveWidget } from "./widget-route.ts";

type Options = ViewerGround & { now?: Clock; limits?: Partial<ViewerLimits> };

/** All of /screenshot-paste. Who may call what is `guardViewer`'s business. */
export function serveViewer(app: App, { now = Date.now, limits: given, ...ground }: Options): void {
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
  servePage(app, ground);
  serveUploads(app, { ...ground, now, limits });
  serveLists(app, ground.pastes, limits);
  serveEvents(app, ground.pastes, limits);
  serveWidget(app, ground.access);
  servePastes(app, ground.pastes);
  serveFiles(app, ground.pastes);
}
