import { PANEL_CATEGORIES } from "@backplane/contract/panels";
import type { App } from "@backplane/kit/http";
import { Type } from "typebox";
import { CATALOG } from "./catalog.ts";

const Panel = Type.Object({
  identifier: Type.String(),
  kind: Type.String(),
  name: Type.String(),
  category: Type.String(),
  icon: Type.String(),
  description: Type.String(),
  singleton: Type.Boolean(),
  built: Type.Boolean(),
  stateSchema: Type.Record(Type.String(), Type.Any()),
});

/** Every panel that a workspace can show. It is the same for everybody, and no secret. */
export function serveCatalog(app: App): void {
  app.get(
    "/api/panels/catalog",
    {
      schema: {
        tags: ["panels"],
        summary: "Every panel there is",
        response: { 200: Type.Object({ categories: Type.Array(Type.String()), panels: Type.Array(Panel) }) },
      },
    },
    async (_request, reply) => {
      reply.header("cache-control", "no-cache");
      return { categories: [...PANEL_CATEGORIES], panels: [...CATALOG] };
    },
  );
}
