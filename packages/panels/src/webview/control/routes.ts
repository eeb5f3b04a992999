import {
  PanelQuery,
  WebviewAction,
  type WebviewLimits,
  WebviewPass,
  WebviewReport,
  WebviewSite,
  WorkspaceParams,
} from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import { Type } from "typebox";
import type { Services } from "../../services.ts";
import { enterAddress } from "../passes/frame-addresses.ts";
import type { Passes } from "../passes/passes.ts";
import { expectSiteUrl } from "../site-url.ts";
import { act } from "./act.ts";
import { checkAction } from "./check-action.ts";
import { report } from "./report.ts";

const PATH = "/api/panels/webview/:owner/:repo";
const tags = ["panels"];

/** PATCH and GET of a web view, and the pass with which the workspace's page enters the proxy. */
export function serveWebviews(app: App, services: Services, passes: Passes, limits: WebviewLimits): void {
  const { workspaces, settings } = services;

  app.patch(
    PATH,
    {
      preValidation: async (request) => checkAction(request.body),
      schema: {
        ...{ tags, summary: "Drive a web view: navigate, refresh, setHeaderHidden, setProxyEnabled" },
        ...{ params: WorkspaceParams, body: WebviewAction, response: { 204: Type.Null() } },
      },
    },
    async (request, reply) => {
      const { workspace, caller } = await workspaces.open(request);
      await act(services, workspace, caller, request.body);
      return reply.code(204).send(null);
    },
  );

  app.get(
    PATH,
    {
      schema: {
        ...{ tags, summary: "What a web view shows", params: WorkspaceParams, querystring: PanelQuery },
        response: { 200: WebviewReport },
      },
    },
    async (request, reply) => {
      const { workspace } = await workspaces.open(request);
      reply.header("cache-control", "no-store");
      return report(services, workspace, request.query.panelId, limits);
    },
  );

  app.post(
    `${PATH}/pass`,
    {
      schema: {
        ...{ tags, summary: "A frame address that shows a site through the proxy", params: WorkspaceParams },
        ...{ body: WebviewSite, response: { 200: WebviewPass } },
      },
    },
    async (request, reply) => {
      const { workspace, caller } = await workspaces.open(request);
      const url = expectSiteUrl(request.body.url, "/url");
      const visit = { workspaceId: workspace.id, ownerId: workspace.ownerId, userId: caller.userId };
      reply.header("cache-control", "no-store");
      return enterAddress(passes, settings.framesUrl, visit, url);
    },
  );
}
