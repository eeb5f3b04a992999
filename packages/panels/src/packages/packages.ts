import type { App } from "@backplane/kit/http";
import type { AnswerFrame } from "../sandbox/frame/serve-frame.ts";
import type { Services } from "../services.ts";
import { readSecret } from "../webview/passes/passes.ts";
import { createPackageServer } from "./frame/serve-package.ts";
import type { InstalledPanels } from "./panel-packages.ts";
import { createFramePasses } from "./passes.ts";
import { servePackages } from "./routes.ts";
import { servePackageTools } from "./tool-routes.ts";

export type PackagePanels = { answer: AnswerFrame; addRoutes(app: App): void };

/** Panels from packages: who allowed which, and their frames. Any instance serves any request. */
export async function openPackagePanels(services: Services, installed: InstalledPanels): Promise<PackagePanels> {
  const passes = createFramePasses({ secret: await readSecret(services.database), now: services.now });
  return {
    answer: createPackageServer({ ...services, passes, files: installed.files }),
    addRoutes(app) {
      servePackages(app, { ...services, installed, passes });
      servePackageTools(app, { ...services, installed });
    },
  };
}
