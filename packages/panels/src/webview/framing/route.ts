import { WebviewFraming, type WebviewLimits, WebviewSite, WorkspaceParams } from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { Services } from "../../services.ts";
import { expectSiteUrl } from "../../site-url.ts";
import { createSlots } from "../../slots.ts";
import type { Guard } from "../guard/guard.ts";
import type { FetchSite } from "../proxy/fetch-site.ts";
import { checkFraming } from "./check-framing.ts";

type Dependencies = { guard: Guard; site: FetchSite; limits: WebviewLimits; ancestors: readonly string[] };

/** For the workspace's page, when it shows a site without the proxy: whether the frame can show it, and why not. */
export function serveFraming(app: App, { workspaces, settings }: Services, dependencies: Dependencies): void {
  const { guard, limits, ancestors } = dependencies;
  const slots = createSlots(limits.maxFramingChecksPerPerson, limits.maxFramingChecks);
  const base = new URL(settings.baseUrl).origin;

  app.post(
    "/api/panels/webview/:owner/:repo/framing",
    {
      schema: {
        ...{ tags: ["panels"], summary: "Whether a site can be framed", params: WorkspaceParams },
        ...{ body: WebviewSite, response: { 200: WebviewFraming } },
      },
    },
    async (request, reply) => {
      const { caller } = await workspaces.open(request);
      const url = expectSiteUrl(request.body.url, "/url");
      guard.learnOwnPort(request.socket.localPort);
      const release = slots.take(caller.userId);
      if (!release) {
        throw new Problem("too-many-requests", {
          detail: `At most ${limits.maxFramingChecksPerPerson} checks per person run at a time. Try again shortly.`,
          headers: { "retry-after": "1" },
        });
      }
      try {
        const { origin = base, "user-agent": userAgent, "accept-language": languages } = request.headers;
        reply.header("cache-control", "no-store");
        return await checkFraming(dependencies, url, {
          ...{ origin: ancestors.includes(origin) ? origin : base, userAgent, languages },
        });
      } finally {
        release();
      }
    },
  );
}
