/** Sizes of the panels' cases. */
export const EVALS = 400;
export const QUICK_EVALS = 60;
export const BURST = 1_000;
export const BURST_BOUND_MS = 1_000;
export const SHOTS = 500;
export const QUICK_SHOTS = 20;
/** How many of them are timed in each repetition, next to Playwright's. */
export const SHOTS_PER_ROUND = 40;
export const SCRIPT_BOUND_BYTES = 350 * 1_024;
/** Of a workspace with six panels, compared with a static page with the same bytes; loads of each, with the CPU slowed this many times. */
export const PAINT_BOUND = 1.5;
export const PAINTS = 9;
export const QUICK_PAINTS = 3;
export const SLOWED = 4;
export const WINDOW = { width: 1_400, height: 900 } as const;
/** Of one schematic. */
export const PAN_ITEMS = 2_000;
/** Frames of one measured run, and runs. */
export const PAN_FRAMES = 40;
export const PAN_WINDOWS = 20;
export const PAN_BOUND_MS = 16;
