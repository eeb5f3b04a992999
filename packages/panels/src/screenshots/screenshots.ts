import { PANELS_LIMITS } from "@backplane/contract/panels";
import { BoundedMap } from "@backplane/kit/bounded-map";
import { limitConcurrency } from "@backplane/kit/concurrency";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { Services } from "../services.ts";
import { chooseTarget } from "./choose-target.ts";
import { finishImage } from "./finish-image.ts";
import type { Screenshots } from "./routes.ts";
import { serveScreenshots } from "./routes.ts";
import { createPrompts, openSharingEvents } from "./sharing-prompts.ts";
import { FOLDER_NAME, faultOfName, LEFTOVER_AGE_MS, openShotFolder, type ShotFolder } from "./shot-folder.ts";
import { createTakeShot, type TakeShot } from "./take-shot.ts";
import { createArrivals, createShotClaims, serveUpload } from "./uploads.ts";

/** Screenshots of panels, workspaces and screens, taken by the browsers that show them. */
export function openScreenshots(services: Services): { addRoutes(app: App): void; close(): void } {
  const uploads = { claims: createShotClaims(services.bus), arrivals: createArrivals() };
  const events = openSharingEvents(services);
  const prompts = createPrompts(services);
  events.watch(prompts.heard).catch(services.onFault);
  const takeShot = createTakeShot({ live: services.live, uploads, prompts, events });
  const screenshots = createScreenshots(services, takeShot);
  return {
    addRoutes(app) {
      serveScreenshots(app, services, screenshots);
      serveUpload(app, services, uploads);
    },
    close() {
      prompts.close();
      events.close();
    },
  };
}

/** Pictures that are decoded and encoded at a time; the rest wait. */
const MAX_ENCODINGS = 2;
/** Projects that are known to have been swept lately. */
const MAX_SWEPT_KNOWN = 1_000;

/** From the request to the saved file. */
function createScreenshots(services: Services, takeShot: TakeShot): Screenshots {
  const { files, usage, log, now, settings } = services;
  const encoding = limitConcurrency({ atOnce: MAX_ENCODINGS });

  const swept = new BoundedMap<string, true>({ maxEntries: MAX_SWEPT_KNOWN, maxAgeMs: LEFTOVER_AGE_MS, now });
  async function sweep(workspaceId: string, folder: ShotFolder): Promise<void> {
    if (swept.get(workspaceId)) return;
    swept.set(workspaceId, true);
    await folder.sweep(now());
  }

  return {
    async take(workspace, caller, asked, signal) {
      refuseName(asked.name);
      const target = chooseTarget(workspace.layout.root, asked);
      const folder = openShotFolder(files.folderOf(workspace));
      const waitMs = (asked.waitForSharing ?? PANELS_LIMITS.defaultWaitForSharingS) * 1_000;
      const reason = asked.reason?.trim() || null;
      await refuseMore(folder);
      const { bytes, original, fitted } = await takeShot({
        ...{ workspace, caller, target, folder, reason, waitMs, signal },
        finish: (read) =>
          encoding(async () => {
            const png = await read();
            return png && finishImage(png, asked.maxDimension ?? PANELS_LIMITS.defaultMaxDimension);
          }),
      });
      const { width, height, scale } = fitted;
      const named = { name: asked.name, kind: target.kind, nowMs: now(), width, height };
      const file = await usage.changing(workspace.ownerId, bytes.length, () => folder.save(bytes, named));
      sweep(workspace.id, folder).catch(services.onFault);
      const sizes = `${original.width}×${original.height} to ${width}×${height}`;
      log.note(workspace.id, "info", "screenshots", `screenshot of ${target.title}, ${sizes}`);
      const project = `${encodeURIComponent(workspace.owner)}/${encodeURIComponent(workspace.repo)}`;
      return {
        bytes,
        screenshot: {
          path: `${FOLDER_NAME}/${file}`,
          url: `${settings.baseUrl}/api/workspaces/editor/${project}/current/screenshots/${encodeURIComponent(file)}`,
          ...{ width, height, originalWidth: original.width, originalHeight: original.height, scale },
          ...{ scope: target.scope, method: target.method, mimeType: "image/png", size: bytes.length },
        },
      };
    },
  };
}

/** Refused before the user is asked for an image that could not be saved. */
async function refuseMore(folder: ShotFolder): Promise<void> {
  if ((await folder.count()) < PANELS_LIMITS.maxScreenshots) return;
  throw new Problem("too-many-of-these", {
    detail: `A project has at most ${PANELS_LIMITS.maxScreenshots} screenshots. Delete some: DELETE …/current/files/${FOLDER_NAME}/…`,
  });
}

function refuseName(name: string | undefined): void {
  const why = name === undefined ? undefined : faultOfName(name);
  if (why === undefined) return;
  throw new Problem("file-name-refused", { detail: why, errors: [{ pointer: "/name", message: why }] });
}
