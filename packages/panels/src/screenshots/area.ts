import type { App } from "@backplane/kit/http";
import type { Services } from "../services.ts";
import { boundSharp } from "./finish-image.ts";
import { createPrompts } from "./prompts.ts";
import { serveScreenshots } from "./routes.ts";
import { createScreenshots } from "./screenshots.ts";
import { openSharingNews } from "./sharing-news.ts";
import { createShotClaims } from "./shot-claims.ts";
import { createTakeShot } from "./take-shot.ts";
import { serveUpload } from "./upload-route.ts";

/** Screenshots of panels, workspaces and screens, taken by the browsers that show them. */
export function openScreenshots(services: Services): { addRoutes(app: App): void; close(): void } {
  const claims = createShotClaims(services.bus);
  const news = openSharingNews(services);
  const prompts = createPrompts(services);
  news.watch(prompts.heard).catch(services.onFault);
  const takeShot = createTakeShot({ live: services.live, claims, prompts, news });
  const screenshots = createScreenshots(services, takeShot);
  boundSharp();
  return {
    addRoutes(app) {
      serveScreenshots(app, services, screenshots);
      serveUpload(app, services, claims);
    },
    close() {
      prompts.close();
      news.close();
    },
  };
}
