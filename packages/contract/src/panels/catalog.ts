import { type Static, Type } from "typebox";
import type { JsonObject } from "./common.ts";

export const PANEL_CATEGORIES = ["Development", "Control", "Visualization", "Media", "Utility"] as const;
export type PanelCategory = (typeof PANEL_CATEGORIES)[number];

/** One line of GET /api/panels/catalog. */
export const CatalogPanel = Type.Object({
  identifier: Type.String({ description: "<owner>/<panel_uuid>" }),
  kind: Type.String({ description: "A short name that also opens it: webview" }),
  aliases: Type.Array(Type.String(), { description: "Identifiers of other systems that also open it" }),
  name: Type.String(),
  category: Type.Enum(PANEL_CATEGORIES),
  icon: Type.String(),
  description: Type.String(),
  singleton: Type.Boolean({ description: "At most one per workspace" }),
  built: Type.Boolean({ description: "Always true: every panel of the catalog can be used" }),
  shows: Type.Array(Type.String(), {
    description:
      "Kinds of capability of devices that it shows, such as temperature; `*`: any. Empty: it shows no devices",
  }),
  stateSchema: Type.Unsafe<JsonObject>({
    ...Type.Record(Type.String(), Type.Any()),
    description: "JSON Schema of initialState and panelState",
  }),
});
export type CatalogPanel = Static<typeof CatalogPanel>;

/** GET /api/panels/icons/mdi/{name} */
export const MdiParams = Type.Object({ name: Type.String({ pattern: "^[a-z0-9-]{1,60}$", examples: ["chip"] }) });
export const MdiIcon = Type.Object({ path: Type.String({ description: "The path of an SVG of 24 × 24" }) });
export type MdiIcon = Static<typeof MdiIcon>;
