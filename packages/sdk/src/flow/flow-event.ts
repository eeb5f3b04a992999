import type { OAuthError } from "../errors.ts";

/** How a flow goes, step by step. `lost` is followed by another `connecting`. */
export type OAuthFlowEvent =
  | { type: "connecting"; attempt: number }
  | { type: "registered" }
  | { type: "lost"; retryInMs: number }
  | { type: "received" }
  | { type: "failed"; error: OAuthError };
