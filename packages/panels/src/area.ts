import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { CatalogAnswer, Layout } from "@backplane/contract/panels";
import type { Caller } from "@backplane/kit/callers";
import { type AnswerFirst, type App, openToOrigins } from "@backplane/kit/http";
import type { FastifyRequest } from "fastify";
import { createCatalog, PACKAGE_PANEL } from "./catalog/catalog.ts";
import { serveCatalog } from "./catalog/routes.ts";
import { createFiles } from "./files/files.ts";
import { moveFoldersToIds } from "./files/owner-folders.ts";
import { serveFiles } from "./files/routes.ts";
import { createUsage, type FileTotals, readFileTotals } from "./files/usage.ts";
import { createLabelReader } from "./frames.ts";
import { serveLessons } from "./lessons/routes.ts";
import { openLive } from "./live/live.ts";
import { serveLive } from "./live/routes.ts";
import { serveLog } from "./log/routes.ts";
import { createWorkspaceLog } from "./log/workspace-log.ts";
import { serveMcp } from "./mcp/routes.ts";
import { createAdmitCode } from "./packages/admit-code.ts";
import { openPackagePanels } from "./packages/packages.ts";
import { createInstalledPanels } from "./packages/panel-packages.ts";
import { acceptJsonOnly, authenticateFirst } from "./route-options.ts";
import { openSandboxes } from "./sandbox/sandboxes.ts";
import { serveSchematics } from "./schematics/routes.ts";
import { openScreenshots } from "./screenshots/screenshots.ts";
import type { Dependencies, Files, Workspaces } from "./services.ts";
import { openWebviews } from "./webview/webviews.ts";
import { followShares } from "./workspaces/follow-shares.ts";
import { openForAreas, type WorkspacesForAreas } from "./workspaces/for-areas.ts";
import { serveWorkspaces } from "./workspaces/routes.ts";
import { openWorkspaces } from "./workspaces/workspaces.ts";

/** Workspaces of panels, ready to be mounted on an app. */
export type PanelsArea = {
  /** Answers requests to the host names of frames. */
  answerFirst: AnswerFirst;
  /** `others`: upgrades that another area takes. */
  addRoutes(app: App, others?: (request: IncomingMessage) => boolean): Promise<void>;
  /** What its page shows first of an existing workspace, by the owner and name in the request's address; throws what its routes answer. */
  opening(request: FastifyRequest): Promise<{ caller: Caller; layout: Layout; catalog: CatalogAnswer }>;
  /** What an owner has: bytes of files and screenshots, and workspaces. */
  usageOf(ownerId: string): Promise<{ bytes: number; workspaces: number }>;
  /** Of all owners together, with the largest ones. */
  totals(maxOwners: number): Promise<FileTotals>;
  /** Whether a request is for the host name of a frame. */
  isForFrame(request: IncomingMessage): boolean;
  /** Workspaces for other areas, whose things belong to them. */
  readonly workspaces: WorkspacesForAreas;
  /** How many browsers have a workspace open here. */
  connected(): number;
  drain(): Promise<void>;
  close(): Promise<void>;
};

export async function openPanelsArea(given: Dependencies): Promise<PanelsArea> {
  const shares = await followShares(given);
  const dependencies = { ...given, followAccess: shares.followAccess };
  const catalog = createCatalog(dependencies.settings.panelAliases);
  const workspaces = openWorkspaces(dependencies);
  const live = await openLive(dependencies, workspaces);
  const log = createWorkspaceLog(dependencies, live);
  const files = createFiles(dependencies.settings.projectsFolder);
  await keepFilesByOwner(dependencies, workspaces, files);
  const { database, now, settings, onFault } = dependencies;
  const usage = createUsage({ database, now, onFault, measure: files.sizeOf, maxBytes: settings.quotas.fileBytes });
  const installed = createInstalledPanels(dependencies);
  const packageRules = installed.rules;
  const services = { ...dependencies, catalog, workspaces, live, log, files, usage, packageRules };
  const sandboxes = await openSandboxes(services, createAdmitCode(installed));
  const webviews = await openWebviews(services);
  const packages = await openPackagePanels(services, installed);
  const screenshots = openScreenshots(services);
  const labelOf = createLabelReader(dependencies.settings.framesUrl);

  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const frame = labelOf(request);
    if (frame) webviews.upgrade(request, socket, head, frame);
  };

  return {
    answerFirst(request, response) {
      const frame = labelOf(request);
      if (!frame) return false;
      if (frame.kind === "sandbox") sandboxes.answer(request, response, frame.label);
      else if (frame.kind === "package") packages.answer(request, response, frame.label);
      else webviews.answer(request, response, frame.label);
      return true;
    },
    async addRoutes(app, others = () => false) {
      app.server.on("upgrade", upgrade);
      live.attach(app.server, { unless: (request) => labelOf(request) !== undefined || others(request) });
      await openToOrigins(app, settings.panelOrigins, async (open) => {
        serveCatalog(open, catalog);
        await open.register(async (scope: App) => {
          authenticateFirst(scope, dependencies.whoIsCalling);
          acceptJsonOnly(scope);
          serveWorkspaces(scope, services);
          serveLive(scope, services);
          serveLog(scope, services);
          serveFiles(scope, services);
          serveLessons(scope, services);
          serveSchematics(scope, services);
          sandboxes.addRoutes(scope);
          webviews.addRoutes(scope);
          packages.addRoutes(scope);
          screenshots.addRoutes(scope);
          serveMcp(scope, services);
        });
      });
    },
    async opening(request) {
      const { caller, workspace } = await workspaces.open(request, { create: false });
      return { caller, layout: workspace.layout, catalog: { panels: catalog.panels, packagePanel: PACKAGE_PANEL } };
    },
    async usageOf(ownerId) {
      const [bytes, count] = await Promise.all([usage.read(ownerId), workspaces.count(ownerId)]);
      return { bytes, workspaces: count };
    },
    isForFrame: (request) => labelOf(request) !== undefined,
    workspaces: openForAreas(dependencies, workspaces, log),
    totals: (maxOwners) => readFileTotals(database, maxOwners),
    connected: live.connected,
    drain: () => live.drain(),
    async close() {
      screenshots.close();
      await sandboxes.close();
      await webviews.close();
      await live.close();
      await log.close();
      await shares.close();
    },
  };
}

/** Files go by the id of their owner, and are deleted with the owner, also when a process was killed before it was done. */
async function keepFilesByOwner(
  { owners, settings, onFault }: Dependencies,
  workspaces: Workspaces,
  files: Files,
): Promise<void> {
  const remove = async (ownerIds: readonly string[]): Promise<void> => {
    await workspaces.removeOf(ownerIds);
    for (const ownerId of ownerIds) await files.removeOwner(ownerId);
  };
  owners.onRemoved(remove);
  await remove(await owners.listRemoved());
  const left = await moveFoldersToIds({ projectsFolder: settings.projectsFolder, idOf: owners.idOf });
  for (const folder of left) {
    onFault(
      new Error(`${folder} could not be moved to its owner's folder, which has a project of this name. Merge them.`),
    );
  }
}
