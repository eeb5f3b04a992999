export { frameAncestorsOf } from "./frame-ancestors.ts";
export { guardViewer } from "./guard.ts";
export { createPageTokens, type PageTokens } from "./page-tokens.ts";
export { createPlainCallerCheck } from "./plain-caller.ts";
export { answerPreflights } from "./sandbox-origin.ts";
export { openViewerToken } from "./viewer-token.ts";
