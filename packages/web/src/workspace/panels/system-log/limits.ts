/** Every line has one height: which ones are in view is a division, however many there are. */
export const ROW_PX = 18;
/** The same for fingers. */
export const TOUCH_ROW_PX = 32;
/** Above and below what is in view, so that a quick scroll shows no gap. */
export const OVERSCAN_ROWS = 12;
/** As near to the end as this is at the end: zoomed pages have fractions of pixels. */
export const END_TOLERANCE_PX = 4;
export const TYPING_PAUSE_MS = 300;
/** Warnings are read out together, not one by one. */
export const ANNOUNCE_EVERY_MS = 4_000;
