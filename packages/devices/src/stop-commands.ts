/** What ends a movement, a run or a supply, whichever device has it; the first one that a capability declares is used. */
export const STOP_COMMANDS: readonly string[] = ["stop", "idle", "abort", "land", "off"];

/** What ends it for good, the most final one first: a drone brakes when it is stopped, and lands when everything is. */
export const CUT_COMMANDS: readonly string[] = STOP_COMMANDS.toReversed();
