/** Sizes of the viewer's cases. */
export const QUICK_SCREENSHOTS = 2;
/** Images that are recognised in each repetition, some of every kind. */
export const TEXT_SCREENSHOTS = 12;
/** The same for the background pass: optipng takes seconds for each. */
export const SQUEEZE_SCREENSHOTS = 18;
export const MCP_CALLS = 1_000;
export const QUICK_MCP_CALLS = 100;
export const MCP_WARM_UP_CALLS = 300;
/** A dialog, also at twice the density. */
export const DIALOG_WIDTH = 1_100;
export const NAMING_PATIENCE_MS = 60_000;
