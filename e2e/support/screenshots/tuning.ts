import type { ScreenshotSpec } from "./spec.ts";
import { tuningDashboards } from "./tuning/dashboards.ts";
import { tuningDialogs } from "./tuning/dialogs.ts";
import { tuningDrawings } from "./tuning/drawings.ts";
import { tuningEditors } from "./tuning/editors.ts";
import { tuningPages } from "./tuning/pages.ts";
import { tuningTerminals } from "./tuning/terminals.ts";

/** The half that may be used for tuning the naming. */
export function tuningSet(): ScreenshotSpec[] {
  const dashboards = tuningDashboards();
  return [
    ...tuningDialogs(dashboards),
    ...tuningTerminals(),
    ...dashboards,
    ...tuningEditors(),
    ...tuningDrawings(),
    ...tuningPages(),
  ];
}
