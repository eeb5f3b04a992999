import { type Static, Type } from "typebox";
import type { JsonData, JsonObject } from "./common.ts";
import type { LogEntry } from "./files-and-log.ts";
import type { Layout } from "./layout.ts";
import type { ScreenshotMethod, ScreenshotScope, Sharing } from "./screenshots.ts";

/** GET …/current/probe */
export const Probe = Type.Object({
  browser_connected: Type.Boolean(),
  sse_connections: Type.Integer(),
  sharing: Type.Boolean(),
});
export type Probe = Static<typeof Probe>;

/** POST …/current/ticket → 201; shown once on the socket within 30 s. */
export const Ticket = Type.Object({ ticket: Type.String(), socketPath: Type.String() });
export type Ticket = Static<typeof Ticket>;
export const TicketQuery = Type.Object({
  create: Type.Optional(Type.Boolean({ description: "false: 404 workspace-unknown if there is no such workspace" })),
});
export const SOCKET_PATH = "/api/workspaces/socket";

/** What a browser is asked to do. Exactly one browser of a workspace is asked, and answers. */
export type Order =
  | { kind: "eval"; tabId: string; code: string; isPrepared: boolean; timeoutMs: number }
  | { kind: "refresh"; tabId: string }
  /** Answered when the frame of this generation has loaded. */
  | { kind: "reset"; tabId: string; generation: number }
  /** Answered with a `ShownPage`. */
  | { kind: "webview"; tabId: string }
  /** Answered with a `SandboxCondition`. */
  | { kind: "sandbox"; tabId: string }
  /** Answered with what the tool returned. */
  | { kind: "panel-call"; tabId: string; name: string; input: JsonObject }
  | {
      kind: "shot";
      shotId: string;
      scope: ScreenshotScope;
      method: ScreenshotMethod;
      tabId: string | null;
    };

/** Why a browser did not do what it was asked. */
export const ORDER_FAULTS = [
  "not-rendered",
  "not-mounted",
  "not-sharing",
  "wrong-surface",
  "shot-failed",
  "unsupported",
  "tab-unknown",
  /** It came after its `untilMs`, and was not begun. */
  "expired",
] as const;
export type OrderFault = (typeof ORDER_FAULTS)[number];

/** A program waits for the user to share. */
export type SharingRequest = {
  id: string;
  by: string;
  reason: string | null;
  scope: ScreenshotScope;
  tabId: string | null;
  /** Epoch ms. */
  untilMs: number;
  waitMs: number;
};

export type ServerMessage =
  | {
      type: "welcome";
      browserId: string;
      isPrimary: boolean;
      layout: Layout;
      framesUrl: string;
      sharingRequests: SharingRequest[];
      /** The server's clock, by which the page reads `untilMs`. Epoch ms. */
      nowMs: number;
    }
  | { type: "layout"; layout: Layout }
  | { type: "primary"; isPrimary: boolean }
  /** Not begun after `untilMs`: nobody waits for it then, and the caller was told. Epoch ms by the server's clock. */
  | { type: "order"; id: string; untilMs: number; order: Order }
  | { type: "withdrawn"; id: string }
  | { type: "sharing-asked"; request: SharingRequest }
  /** `stopped-waiting`: nobody answered it, and its program has given up. */
  | { type: "sharing-over"; id: string; why?: "stopped-waiting" }
  | { type: "log"; entries: LogEntry[] }
  /** Panels from packages were added, changed or removed, or a draft was sent. */
  | { type: "packages" }
  /** The page moves to the new address. */
  | { type: "renamed"; owner: string; repo: string }
  | { type: "renewed"; nowMs: number }
  | { type: "error"; code: string; detail: string };

export type BrowserMessage =
  | { type: "hello"; ticket: string }
  | { type: "renew"; ticket: string }
  | { type: "answer"; id: string; ok: true; value: JsonData }
  | { type: "answer"; id: string; ok: false; code: OrderFault; detail: string }
  | { type: "mounted"; tabId: string }
  /** What a web view shows now. `url` and `title` are stored in its state unless that has moved on to another `visit`. */
  | { type: "report"; tabId: string; url?: string; title?: string; visit?: number }
  | { type: "sharing"; sharing: Sharing }
  | { type: "sharing-declined"; id: string };
