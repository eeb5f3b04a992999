import { PANELS_LIMITS } from "@backplane/contract/panels";

/** What a page says while the server is asked whose it is. */
export const MAX_HELD_MESSAGES = 32;

/** A site's icon comes as data. */
export const MAX_ICON_LENGTH = 65_536;

/** Nothing is said about a load that is quicker, and a word only about one that is slow. */
export const LINE_AFTER_MS = 300;
export const WORD_AFTER_MS = 1_000;
/** A load that takes longer is called long, and one that takes as long as this is not waited for any more. */
export const LONG_AFTER_MS = 20_000;
export const LOAD_WAIT_MS = 45_000;
/** From the first word of a page to the end of its load. */
export const PAGE_WAIT_MS = 5_000;
/** How long a program's refresh waits for the end of the load: a little less than the server waits. */
export const REFRESH_WAIT_MS = PANELS_LIMITS.refreshTimeoutMs - 2_000;

/** Pages may change their address with every move of the pointer, and their title every second. */
export const REPORT_PAUSE_MS = 400;
/** A report that did not come back in this time is not an echo any more. */
export const ECHO_LIFE_MS = 10_000;
export const MAX_ECHOES = 20;
export const MAX_VISITED = 100;
/** How long a page that was left may take to be followed by another one. */
export const LEFT_WAIT_MS = 10_000;
/** A tracker that did not begin to reload in this time hangs. */
export const TRACKER_WAIT_MS = 1_500;
/** Time to see for oneself whether the page is there. */
export const BLANK_HINT_AFTER_MS = 2_000;
