import {
  Container,
  ContainerParams,
  CreateWorkspace,
  CurrentLayout,
  PANELS_LIMITS,
  WorkspaceList,
  WorkspaceParams,
} from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { Type } from "typebox";
import { about, aboutReading, CHANGING, CURRENT, READING, workspaceCaller } from "../route-options.ts";
import type { Services } from "../services.ts";
import { serveEvents } from "./event-routes.ts";
import { serveOwnerCalls } from "./owner-routes.ts";
import { servePeople } from "./people-routes.ts";
import { serveSplits } from "./split-routes.ts";
import { serveTabs } from "./tab-routes.ts";

/** Workspaces and their layouts, for pages and programs. */
export function serveWorkspaces(app: App, services: Services): void {
  app.get(
    CURRENT,
    {
      ...READING,
      schema: {
        ...aboutReading("The layout: splits, panels and their tabs", "A workspace is created on first use."),
        response: { 200: CurrentLayout },
      },
    },
    async (request) => {
      const { owner, repo, layout } = (await services.workspaces.open(request)).workspace;
      const { revision, root } = layout;
      return { ...root, owner, repo, revision, root };
    },
  );

  serveTabs(app, services);
  serveSplits(app, services);
  serveEvents(app, services);
  serveWorkspaceList(app, services);
  serveCreation(app, services);
  serveContainers(app, services);
  serveOwnerCalls(app, services);
  servePeople(app, services);
}

/** A workspace that must not exist yet. */
function serveCreation(app: App, { workspaces, whoIsCalling }: Services): void {
  const { params: _, ...schema } = about(
    "Create a workspace",
    "Using a workspace creates it, too. This call refuses a name that exists, and can start with the panels of another workspace.",
    ["name-taken"],
  );
  app.post(
    "/api/workspaces",
    { ...CHANGING, schema: { ...schema, body: CreateWorkspace, response: { 201: WorkspaceParams } } },
    async (request, reply) => {
      const caller = await workspaceCaller(whoIsCalling, request);
      reply.code(201);
      return workspaces.create(caller, request.body);
    },
  );
}

/** Workspaces as programs of other systems look them up. */
function serveContainers(app: App, { workspaces, whoIsCalling }: Services): void {
  app.get(
    "/containers/:slug",
    {
      ...READING,
      schema: {
        ...{ tags: ["panels"], summary: "Which workspace a slug means" },
        ...{ access: "read-workspace", problems: ["not-found"] },
        ...{ params: ContainerParams, response: { 200: Container } },
      },
    },
    async (request) => {
      const { userId } = await workspaceCaller(whoIsCalling, request);
      const { slug } = request.params;
      const found = await workspaces.bySlug(userId, slug);
      if (!found) throw new Problem("not-found", { detail: "You have no such workspace. See GET /api/workspaces." });
      return { slug, repository: { name: found.repo, owner: { name: found.owner } } };
    },
  );
}

const { maxWorkspacesListed } = PANELS_LIMITS;

/** The workspaces of a person. */
function serveWorkspaceList(app: App, { workspaces, live, whoIsCalling, onFault }: Services): void {
  const isConnected = async (id: string): Promise<boolean> => {
    try {
      return (await live.browsers(id)).length > 0;
    } catch (error) {
      // The list is useful even when the presence of browsers is unknown.
      onFault(error);
      return false;
    }
  };

  app.get(
    "/api/workspaces",
    {
      ...READING,
      schema: {
        tags: ["panels"],
        summary: "Your workspaces, those of your organisations, and those shared with you, newest first",
        access: "read-workspace",
        querystring: Type.Object({
          limit: Type.Integer({ minimum: 1, maximum: maxWorkspacesListed, default: maxWorkspacesListed }),
        }),
        response: { 200: WorkspaceList },
      },
    },
    async (request) => {
      const { userId } = await workspaceCaller(whoIsCalling, request);
      const { limit } = request.query;
      const found = await workspaces.list(userId, limit + 1);
      const shown = found.slice(0, limit).map(async ({ id, updatedAtMs, ...workspace }) => ({
        ...{ ...workspace, updatedAt: new Date(updatedAtMs).toISOString() },
        browserConnected: await isConnected(id),
      }));
      const invitations = await workspaces.invitations(userId);
      return { workspaces: await Promise.all(shown), truncated: found.length > limit, invitations };
    },
  );
}
