import { type Static, Type } from "typebox";
import type { EvalLog } from "../sandbox/frame-contract.ts";
import { PANELS_LIMITS } from "./limits.ts";
import { type JsonData, NODE_ID } from "./names.ts";

const PANEL = { panelId: NODE_ID };
export const WebviewAction = Type.Union([
  Type.Object({
    ...PANEL,
    action: Type.Literal("navigate"),
    url: Type.String({ minLength: 1, maxLength: PANELS_LIMITS.maxUrlLength }),
  }),
  Type.Object({ ...PANEL, action: Type.Literal("refresh") }),
  Type.Object({ ...PANEL, action: Type.Literal("setHeaderHidden"), hidden: Type.Boolean() }),
  Type.Object({ ...PANEL, action: Type.Literal("setProxyEnabled"), enabled: Type.Boolean() }),
]);
export type WebviewAction = Static<typeof WebviewAction>;

/** `panelState` of a web view. */
export type WebviewState = {
  url?: string;
  headerHidden?: boolean;
  proxyEnabled?: boolean;
  /** Of the page that is shown, as the proxy's tracker reported it. */
  title?: string;
  /** Goes up with every navigate: the same address again loads it again. */
  visit?: number;
};
/** GET /api/panels/webview/{owner}/{repo}?panelId= */
export type WebviewReport = {
  panelId: string;
  tabId: string;
  url: string | null;
  title: string | null;
  scroll: { x: number; y: number; height: number } | null;
  loading: boolean;
  headerHidden: boolean;
  proxyEnabled: boolean;
  /** Whether a browser shows it now, so that the above is what one sees. */
  live: boolean;
  /** Why the page is blank, if it is. */
  fault: string | null;
};

/** POST /api/panels/webview/{owner}/{repo}/framing {url}: whether a frame of ours can show a site, and why not. */
export type WebviewFraming = {
  framing: "allowed" | "refused" | "unknown";
  reason:
    | ("x-frame-options" | "frame-ancestors" | "mixed-content" | "port" | "download")
    | ("unreachable" | "name-not-found" | "timeout" | "certificate" | "private-address")
    | null;
};

export const SandboxAction = Type.Union([
  Type.Object({
    ...PANEL,
    action: Type.Literal("eval"),
    code: Type.String({ maxLength: PANELS_LIMITS.maxCodeBytes }),
    timeoutMs: Type.Optional(Type.Integer({ minimum: 50, maximum: PANELS_LIMITS.maxEvalTimeoutMs })),
  }),
  Type.Object({ ...PANEL, action: Type.Literal("reset") }),
  Type.Object({ ...PANEL, action: Type.Literal("setHeaderHidden"), hidden: Type.Boolean() }),
]);
export type SandboxAction = Static<typeof SandboxAction>;

export type EvalResult =
  | { status: "executed"; result?: JsonData; logs?: EvalLog[]; durationMs?: number }
  | { status: "error"; error: string; logs?: EvalLog[]; durationMs?: number }
  | { status: "queued"; id: string };
/** `panelState` of a sandbox. */
export type SandboxState = {
  headerHidden?: boolean;
  /** Part of the frame's host name: another one is another frame. */
  generation?: number;
};
/** stuck: code of an earlier call does not end; gone: the code has left its document. A reset helps with both. */
export type SandboxStanding = "loading" | "ready" | "stuck" | "gone";
/** GET /api/panels/sandbox/{owner}/{repo}?panelId= */
export type SandboxReport = {
  panelId: string;
  tabId: string;
  headerHidden: boolean;
  generation: number;
  /** Whether a browser shows it now, and so runs code at once. */
  live: boolean;
  standing: SandboxStanding | null;
  queued: number;
};
/** GET …/evals/{id} */
export type EvalReport = { id: string } & (EvalResult | { status: "queued" });
