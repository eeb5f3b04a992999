import { PAGE_PATH, SCREENSHOTS_FOLDER, VIEWER_LIMITS } from "@backplane/contract/viewer";
import { type App, allowFraming } from "@backplane/kit/http";
import type { ViewerDependencies } from "./dependencies.ts";
import { PageQuery, TAGS } from "./schemas.ts";

type Page = Pick<ViewerDependencies, "tokens" | "url" | "baseUrl" | "project">;

/** The page, with a new token each time. A workspace asks with HEAD whether it may frame the page. */
export function servePage(app: App, { tokens, url, baseUrl, project }: Page): void {
  const frameAncestors = frameAncestorsOf(baseUrl);
  app.get("/", { exposeHeadRoute: true, schema: { hide: true } }, async (_request, reply) =>
    reply.redirect(PAGE_PATH, 302),
  );
  app.get(
    PAGE_PATH,
    {
      exposeHeadRoute: true,
      schema: { tags: TAGS, summary: "The page to paste into", produces: ["text/html"], querystring: PageQuery },
    },
    async (request, reply) => {
      const { title, instance } = request.query;
      // With the first request: its styles are chosen and its scripts joined when it is loaded.
      const { pastePolicy, renderPastePage } = await import("../page/page.ts");
      // As in the request: localhost and 127.0.0.1 are different origins.
      const ownOrigin = `${request.protocol}://${request.host}`;
      return allowFraming(reply)
        .headers({
          "content-security-policy": pastePolicy({ frameAncestors, connect: [ownOrigin] }),
          "cache-control": "no-store",
        })
        .type("text/html; charset=utf-8")
        .send(
          renderPastePage({
            title,
            instance,
            token: tokens.make(),
            url,
            folder: `${SCREENSHOTS_FOLDER}/`,
            maxUploadBytes: VIEWER_LIMITS.maxUploadBytes,
            project,
          }),
        );
    },
  );
}

const TWINS: Readonly<Record<string, string>> = { localhost: "127.0.0.1", "127.0.0.1": "localhost" };

/** Who may frame the page besides itself: the workspaces, under either local name. */
function frameAncestorsOf(baseUrl: string): string[] {
  const { protocol, hostname, port, origin } = new URL(baseUrl);
  const twin = TWINS[hostname];
  return [origin, ...(twin === undefined ? [] : [`${protocol}//${twin}${port === "" ? "" : `:${port}`}`])];
}
