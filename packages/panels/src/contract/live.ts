import type { Layout } from "./layout.ts";
import type { JsonData } from "./names.ts";
import type { LogEntry } from "./project.ts";
import type { ScreenshotMethod, ScreenshotScope, Sharing } from "./screenshots.ts";

/** POST …/current/ticket → 201; shown once on the socket within 30 s. */
export type Ticket = { ticket: string; socketPath: string };
export const SOCKET_PATH = "/api/workspaces/socket";

/** What a browser is asked to do. Exactly one browser of a workspace is asked, and answers. */
export type Order =
  | { kind: "eval"; tabId: string; code: string; isPrepared: boolean; timeoutMs: number }
  | { kind: "refresh"; tabId: string }
  /** Answered when the frame of this generation is there. */
  | { kind: "reset"; tabId: string; generation: number }
  /** What the panel is in now: a `WebviewReport` or `SandboxStanding` in part. */
  | { kind: "webview"; tabId: string }
  | { kind: "sandbox"; tabId: string }
  | {
      kind: "shot";
      shotId: string;
      scope: ScreenshotScope;
      method: ScreenshotMethod;
      tabId: string | null;
    };

export type OrderFault =
  | "not-rendered"
  | "not-mounted"
  | "not-sharing"
  | "wrong-surface"
  | "shot-failed"
  | "unsupported"
  | "tab-unknown";

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
    }
  | { type: "layout"; layout: Layout }
  | { type: "primary"; isPrimary: boolean }
  | { type: "order"; id: string; order: Order }
  | { type: "withdrawn"; id: string }
  | { type: "sharing-asked"; request: SharingRequest }
  | { type: "sharing-over"; id: string }
  | { type: "log"; entries: LogEntry[] }
  | { type: "renewed" }
  | { type: "error"; code: string; detail: string };

export type BrowserMessage =
  | { type: "hello"; ticket: string }
  | { type: "renew"; ticket: string }
  | { type: "answer"; id: string; ok: true; value: JsonData }
  | { type: "answer"; id: string; ok: false; code: OrderFault; detail: string }
  | { type: "mounted"; tabId: string }
  /** What a web view shows now; `url` and `title` are kept in its state, unless that is at another `visit` already. */
  | { type: "report"; tabId: string; url?: string; title?: string; visit?: number }
  | { type: "sharing"; sharing: Sharing }
  | { type: "sharing-declined"; id: string };
