export { NODE_FLAGS } from "./child.ts";
export { drainTimeMs, RESTARTS_BEFORE_EXIT, SUPERVISE_LIMITS, type SuperviseLimits } from "./limits.ts";
export { type LogFile, openLogFile } from "./log-file.ts";
export { type ChildEvent, isParentMessage, type ProcessMessage } from "./messages.ts";
export { claimHome, endLeftover, releaseHome } from "./pid-file.ts";
export { portInUse } from "./port-in-use.ts";
export { type ProgramName, programFile } from "./programs.ts";
export { type ChildState, type Supervised, supervise } from "./supervise.ts";
export { type HealthWatchOptions, watchHealth } from "./watch-health.ts";
