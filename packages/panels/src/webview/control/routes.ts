import { PANELS_LIMITS, WebviewAction, WorkspaceParams } from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import { Type } from "typebox";
import type { Services } from "../../services.ts";
import type { WebviewLimits } from "../limits.ts";
import { enterAddress } from "../passes/frame-addresses.ts";
import type { Passes } from "../passes/passes.ts";
import { expectSiteUrl } from "../site-url.ts";
import { act } from "./act.ts";
import { checkAction } from "./check-action.ts";
import { report, WebviewReportSchema } from "./report.ts";

const PATH = "/api/panels/webview/:owner/:repo";
const tags = ["panels"];
const OfPanel = Type.Object({ panelId: Type.String({ minLength: 1, maxLength: 64 }) });
const ToSite = Type.Object({ url: Type.String({ minLength: 1, maxLength: PANELS_LIMITS.maxUrlLength }) });
const Entrance = Type.Object({
  src: Type.String({ description: "The address of the frame, for the next minute" }),
  label: Type.String(),
  origin: Type.String({ description: "Of the frame" }),
});

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
        ...{ tags, summary: "What a web view shows", params: WorkspaceParams, querystring: OfPanel },
        response: { 200: WebviewReportSchema },
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
        ...{ body: ToSite, response: { 200: Entrance } },
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
