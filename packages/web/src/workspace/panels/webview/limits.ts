import { PANELS_LIMITS } from "@backplane/contract/panels";

/** The icon of a site, as a data URL. */
export const MAX_ICON_LENGTH = 65_536;

/** A load shows nothing at first, then a line, then a text. */
export const LINE_AFTER_MS = 300;
export const WORD_AFTER_MS = 1_000;
/** After this the text says that the load takes long. */
export const LONG_AFTER_MS = 20_000;
/** After this the load is no longer waited for. */
export const LOAD_WAIT_MS = 45_000;
/** From the first message of a page to the end of its load. */
export const PAGE_WAIT_MS = 5_000;
/** How long a program's refresh waits for the end of the load: a little less than the server waits. */
export const REFRESH_WAIT_MS = PANELS_LIMITS.refreshTimeoutMs - 2_000;

/** Pages can change their address with every move of the pointer, and their title every second. */
export const REPORT_PAUSE_MS = 400;
/** A report that has not come back from the server by then is no longer expected. */
export const ECHO_LIFE_MS = 10_000;
export const MAX_ECHOES = 20;
export const MAX_VISITED = 100;
/** How long the next page may take after one was left. */
export const LEFT_WAIT_MS = 10_000;
/** A tracker that has not started to reload by then hangs. */
export const TRACKER_WAIT_MS = 1_500;
/** Gives people time to see the page before they are asked whether it is blank. */
export const BLANK_HINT_AFTER_MS = 2_000;
