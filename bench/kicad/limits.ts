/** Of the time that kicadts needs to parse the same file. */
export const MAX_READ_SHARE = 0.25;
export const MAX_BOARD_SHARE = 1;
export const MAX_ZONES_SHARE = 2;
/** A board whose zones have more points is drawn for longer than it is read. */
export const LARGE_ZONES_POINTS = 50_000;
/** Loads of one board that count, for each contestant in turn. */
export const BOARD_LOADS = 15;
export const QUICK_BOARD_LOADS = 3;
/** As the panel paints first: pixels along the longer side. */
export const COARSE_PX = 1_024;
export const SHARP_PX = 2_048;
