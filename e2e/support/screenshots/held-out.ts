import { heldOutDashboards } from "./held-out/dashboards.ts";
import { heldOutDialogs } from "./held-out/dialogs.ts";
import { heldOutDrawings } from "./held-out/drawings.ts";
import { heldOutEditors } from "./held-out/editors.ts";
import { heldOutPages } from "./held-out/pages.ts";
import { heldOutTerminals } from "./held-out/terminals.ts";
import type { ScreenshotSpec } from "./spec.ts";

/** The half that nobody looks at while tuning the naming: its expectations stay as they were written. */
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
