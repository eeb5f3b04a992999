import { heldOutDashboards } from "./held-out/dashboards.ts";
import { heldOutDialogs } from "./held-out/dialogs.ts";
import { heldOutDrawings } from "./held-out/drawings.ts";
import { heldOutEditors } from "./held-out/editors.ts";
import { heldOutPages } from "./held-out/pages.ts";
import { heldOutTerminals } from "./held-out/terminals.ts";
import type { ScreenshotSpec } from "./spec.ts";

/** The half that is never used for tuning the naming; do not adjust its expectations. */
export function heldOutSet(): ScreenshotSpec[] {
  const editors = heldOutEditors();
  return [
    ...heldOutDialogs(editors),
    ...heldOutTerminals(),
    ...heldOutDashboards(),
    ...editors,
    ...heldOutDrawings(),
    ...heldOutPages(),
  ];
}
