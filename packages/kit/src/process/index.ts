export { NODE_FLAGS } from "./child.ts";
export { SUPERVISE_LIMITS, type SuperviseLimits } from "./limits.ts";
export { type LogFile, openLogFile } from "./log-file.ts";
export type { ChildEvent, ProcessMessage } from "./messages.ts";
export { claimPidFile, endLeftover, pidFileHolder, releasePidFile } from "./pid-file.ts";
export { type ProgramName, programFile } from "./programs.ts";
export { type ProcessContext, portInUse, runProcess, type Started, StartFault } from "./run-process.ts";
export { serve } from "./serve.ts";
export { type ChildState, type Supervised, supervise } from "./supervise.ts";
