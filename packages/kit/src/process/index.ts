// For programs that serve. What starts and watches them is in supervising.ts, which does without an HTTP server.
export { type ProcessContext, runProcess, type Started, StartFault } from "./run-process.ts";
export { serve } from "./serve.ts";
