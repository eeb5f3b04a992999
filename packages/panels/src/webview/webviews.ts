import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { WEBVIEW_LIMITS, WebviewEntry, type WebviewLimits, WebviewPass } from "@backplane/contract/panels";
import { createConnect, createGuard, type Resolve } from "@backplane/kit/guard";
import type { App } from "@backplane/kit/http";
import { serveDrivenPanel } from "../driven/driven-panel.ts";
import { type FrameLabel, frameAncestors } from "../frames.ts";
import { about, accessTo } from "../route-options.ts";
import type { Services } from "../services.ts";
import { expectSiteUrl } from "../site-url.ts";
import { webviewPanel } from "./actions.ts";
import { serveFraming } from "./framing/route.ts";
import { cookieAttributes } from "./passes/cookies.ts";
import { enterAddress } from "./passes/frame-addresses.ts";
import { createPasses, type Passes, readSecret } from "./passes/passes.ts";
import { answerFrame } from "./proxy/answer.ts";
import { createFetchSite } from "./proxy/fetch-site.ts";
import { createHeldTexts } from "./proxy/held-text.ts";
import { createSiteSlots } from "./proxy/site-slots.ts";
import { createTracker } from "./proxy/tracker.ts";
import { refuseUpgrade, upgradeFrame } from "./proxy/upgrade.ts";

export type Webviews = {
  /** Answers every request to the host of a site's frame. */
  answer(request: IncomingMessage, response: ServerResponse, label: string): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, frame: FrameLabel): void;
  addRoutes(app: App): void;
  close(): Promise<void>;
};

/** For tests: fixed name resolution, and low limits. */
export type WebviewOptions = { resolveName?: Resolve; limits?: Partial<WebviewLimits> };

/** Web views: how programs drive them, and the proxy through which they show sites. Any instance serves any request. */
export async function openWebviews(services: Services, options: WebviewOptions = {}): Promise<Webviews> {
  const { settings, now, followAccess, onFault } = services;
  const { baseUrl, framesUrl, proxyAllow, gatewayPort, watchdogPort, viewerPort } = settings;
  const limits = { ...WEBVIEW_LIMITS, ...options.limits };
  const ownPorts = [gatewayPort, watchdogPort, viewerPort];
  const resolving = options.resolveName ? { resolveName: options.resolveName } : {};
  const guard = createGuard({ allow: proxyAllow, baseUrl, framesUrl, ownPorts, ...resolving });
  const connect = createConnect(guard);
  const passes = createPasses({ secret: await readSecret(services.database), now, limits });
  const site = createFetchSite(connect, limits);
  const ancestors = frameAncestors(baseUrl);
  const attributes = cookieAttributes(framesUrl);
  const context = {
    ...{ passes, guard, connect, site, followAccess, framesUrl, ancestors, limits, onFault },
    cookieAttributes: attributes,
    tracker: createTracker({ ancestors, cookieAttributes: attributes }),
    holdText: createHeldTexts(limits.maxHeldCharactersPerPerson, limits.maxHeldCharacters),
  };
  const http = {
    ...context,
    slots: createSiteSlots(limits.maxRequestsPerSite, limits.maxRequestsPerPerson, limits.maxRequests),
  };
  const sockets = {
    ...context,
    slots: createSiteSlots(limits.maxSocketsPerSite, limits.maxSocketsPerPerson, limits.maxSockets),
    open: new Set<Duplex>(),
  };

  return {
    answer: (request, response, label) => answerFrame(http, request, response, label),
    upgrade(request, socket, head, { kind, label }) {
      if (kind === "site") upgradeFrame(sockets, request, socket, head, label);
      else refuseUpgrade(socket);
    },
    addRoutes(app) {
      // Closing a server waits for its sockets.
      app.addHook("preClose", async () => {
        for (const socket of sockets.open) socket.destroy();
      });
      serveDrivenPanel(app, services, webviewPanel(services, limits));
      servePasses(app, services, passes);
      serveFraming(app, services, { guard, site, limits, ancestors });
    },
    close: () => site.close(),
  };
}

/** The workspace's page gets the address at which a frame shows a site through the proxy. */
function servePasses(app: App, { workspaces, settings }: Services, passes: Passes): void {
  app.post(
    "/api/panels/webview/:owner/:repo/pass",
    {
      schema: {
        ...about("A frame address that shows a site through the proxy"),
        ...{ body: WebviewEntry, response: { 200: WebviewPass } },
      },
    },
    async (request, reply) => {
      const { workspace, caller } = await workspaces.open(request);
      const { popups, downloads } = request.body;
      const url = expectSiteUrl(request.body.url, "/url");
      const visit = { workspaceId: workspace.id, access: accessTo(caller, workspace), popups, downloads };
      reply.header("cache-control", "no-store");
      return enterAddress(passes, settings.framesUrl, visit, url);
    },
  );
}
