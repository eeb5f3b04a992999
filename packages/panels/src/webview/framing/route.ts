import { SiteIcon, WebviewFraming, type WebviewLimits, WebviewSite } from "@backplane/contract/panels";
import type { Guard } from "@backplane/kit/guard";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { createSlots } from "@backplane/kit/slots";
import type { FastifyRequest } from "fastify";
import { about } from "../../route-options.ts";
import type { Services } from "../../services.ts";
import { expectSiteUrl } from "../../site-url.ts";
import type { FetchSite } from "../proxy/fetch-site.ts";
import { checkFraming } from "./check-framing.ts";
import { readSiteIcon } from "./site-icon.ts";

type Dependencies = { guard: Guard; site: FetchSite; limits: WebviewLimits; ancestors: readonly string[] };

/** For the workspace's page, when it shows a site without the proxy: what only a server can find out about the site. */
export function serveFraming(app: App, { workspaces, settings }: Services, dependencies: Dependencies): void {
  const { guard, limits, ancestors } = dependencies;
  const slots = createSlots(limits.maxFramingChecksPerPerson, limits.maxFramingChecks);
  const base = new URL(settings.baseUrl).origin;
  const path = "/api/panels/webview/:owner/:repo";
  const aboutSite = (summary: string) => ({ ...about(summary, undefined, ["too-many-requests"]), body: WebviewSite });

  /** Runs a check of a site, of which there are only so many at a time. */
  async function check<Result>(request: FastifyRequest, address: string, run: (url: URL) => Promise<Result>) {
    const { caller } = await workspaces.open(request);
    const url = expectSiteUrl(address, "/url");
    guard.learnOwnPort(request.socket.localPort);
    const release = slots.take(caller.userId);
    if (!release) {
      throw new Problem("too-many-requests", {
        detail: `At most ${limits.maxFramingChecksPerPerson} checks per person run at a time. Try again shortly.`,
        headers: { "retry-after": "1" },
      });
    }
    try {
      return await run(url);
    } finally {
      release();
    }
  }

  app.post(
    `${path}/framing`,
    { schema: { ...aboutSite("Whether a site can be framed"), response: { 200: WebviewFraming } } },
    async (request, reply) => {
      const { origin = base, "user-agent": userAgent, "accept-language": languages } = request.headers;
      const embedder = { origin: ancestors.includes(origin) ? origin : base, userAgent, languages };
      reply.header("cache-control", "no-store");
      return check(request, request.body.url, (url) => checkFraming(dependencies, url, embedder));
    },
  );

  app.post(
    `${path}/icon`,
    { schema: { ...aboutSite("The icon of a site"), response: { 200: SiteIcon } } },
    async (request, reply) => {
      reply.header("cache-control", "no-store");
      return { icon: await check(request, request.body.url, (url) => readSiteIcon(dependencies, url)) };
    },
  );
}
