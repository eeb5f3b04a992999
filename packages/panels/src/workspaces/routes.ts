import { CurrentLayout } from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import type { Services } from "../services.ts";
import { serveEvents } from "./event-routes.ts";
import { serveWorkspaceList } from "./list-routes.ts";
import { about, CURRENT, READING } from "./route-options.ts";
import { serveSplits } from "./split-routes.ts";
import { serveTabs } from "./tab-routes.ts";

/** Workspaces and their layouts, as people's pages and programs change them. */
export function serveWorkspaces(app: App, services: Services): void {
  app.get(
    CURRENT,
    {
      ...READING,
      schema: {
        ...about("The layout: splits, panels and their tabs", "A workspace is made by its first use."),
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
}
