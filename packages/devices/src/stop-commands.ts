/** What ends a movement, a run or a supply, whichever device has it; the first one that a capability declares is used. */
export const STOP_COMMANDS: readonly string[] = ["stop", "idle", "abort", "land", "off"];
