import type { App } from "@backplane/kit/http";
import { Type } from "typebox";
import type { Services } from "../services.ts";
import { serveEvents } from "./event-routes.ts";
import { serveWorkspaceList } from "./list-routes.ts";
import { about, CURRENT, READING } from "./route-options.ts";
import { serveSplits } from "./split-routes.ts";
import { serveTabs } from "./tab-routes.ts";

/** The root's own keys stand beside it too: programs in the field read either. */
const CurrentLayout = Type.Object(
  {
    ...{ owner: Type.String(), repo: Type.String(), revision: Type.Integer() },
    ...{ root: Type.Any(), type: Type.String(), id: Type.String() },
  },
  { additionalProperties: true },
);

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
