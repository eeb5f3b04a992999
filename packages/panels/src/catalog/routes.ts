import { CatalogPanel, PANEL_CATEGORIES } from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import { Type } from "typebox";
import type { Catalog } from "./catalog.ts";

/** Every panel that a workspace can show: public, and the same for everybody. */
export function serveCatalog(app: App, { panels }: Pick<Catalog, "panels">): void {
  app.get(
    "/api/panels/catalog",
    {
      schema: {
        tags: ["panels"],
        summary: "Every kind of panel",
        response: { 200: Type.Object({ categories: Type.Array(Type.String()), panels: Type.Array(CatalogPanel) }) },
      },
    },
    async (_request, reply) => {
      reply.header("cache-control", "no-cache");
      return { categories: [...PANEL_CATEGORIES], panels: [...panels] };
    },
  );
}
