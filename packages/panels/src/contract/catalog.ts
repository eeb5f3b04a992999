import type { JsonObject } from "./names.ts";

export const PANEL_CATEGORIES = ["Development", "Control", "Visualization", "Media", "Utility"] as const;
export type PanelCategory = (typeof PANEL_CATEGORIES)[number];

/** One line of GET /api/panels/catalog. */
export type CatalogPanel = {
  /** `<owner>/<panel_uuid>` */
  identifier: string;
  /** A short name that also opens it, e.g. `webview`. */
  kind: string;
  name: string;
  category: PanelCategory;
  icon: string;
  description: string;
  singleton: boolean;
  /** Not built yet: it opens, and says so. */
  built: boolean;
  /** JSON Schema of `initialState` and `panelState`. */
  stateSchema: JsonObject;
};
