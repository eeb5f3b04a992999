import { CatalogPanel, MdiIcon, MdiParams, PANEL_CATEGORIES } from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { Type } from "typebox";
import { type Catalog, PACKAGE_PANEL } from "./catalog.ts";
import { mdiPath } from "./mdi.ts";

const CatalogAnswer = Type.Object({
  categories: Type.Array(Type.String()),
  panels: Type.Array(CatalogPanel),
  packagePanel: { ...CatalogPanel, description: "Shows the panels that a workspace has from packages" },
});

/** Every panel that a workspace can show: public, and the same for everybody. */
export function serveCatalog(app: App, { panels }: Pick<Catalog, "panels">): void {
  app.get(
    "/api/panels/catalog",
    {
      schema: {
        tags: ["panels"],
        summary: "Every kind of panel",
        response: { 200: CatalogAnswer },
      },
    },
    async (_request, reply) => {
      reply.header("cache-control", "no-cache");
      return { categories: [...PANEL_CATEGORIES], panels: [...panels], packagePanel: PACKAGE_PANEL };
    },
  );

  app.get(
    "/api/panels/icons/mdi/:name",
    {
      schema: {
        ...{ tags: ["panels"], summary: "The drawing of a Material Design icon, for `displayIcon`" },
        problems: ["not-found"],
        ...{ params: MdiParams, response: { 200: MdiIcon } },
      },
    },
    async (request) => {
      const path = await mdiPath(request.params.name);
      if (path === undefined) throw new Problem("not-found", { detail: "There is no such Material Design icon." });
      return { path };
    },
  );
}
