import { type JsonObject, PANELS_LIMITS, type WebviewAction } from "@backplane/contract/panels";
import type { Caller } from "@backplane/kit/callers";
import { Problem } from "@backplane/kit/problems";
import { driverOf } from "../../route-options.ts";
import type { Answered, Services, Workspace } from "../../services.ts";
import { expectSiteUrl } from "../site-url.ts";
import { activeWebview, type WebviewTab } from "./active-webview.ts";

type Dependencies = Pick<Services, "workspaces" | "live" | "log">;

/** Does one of the four actions. What is kept in the state holds with or without a browser. */
export async function act(
  dependencies: Dependencies,
  workspace: Workspace,
  caller: Caller,
  action: WebviewAction,
): Promise<void> {
  // What is wrong with the request itself is told first, whatever the panel is.
  const url = action.action === "navigate" ? expectSiteUrl(action.url, "/url") : undefined;
  const webview = activeWebview(workspace.layout.root, action.panelId);
  const drivenBy = driverOf(caller);
  if (action.action === "refresh") await refresh(dependencies, workspace, webview, drivenBy);
  else {
    const patch = patchOf(action, webview, url);
    const tab = await dependencies.workspaces.patchState(workspace.id, webview.tab.id, patch, drivenBy);
    if (!tab) throw new Problem("panel-unknown", { detail: "The panel was closed meanwhile." });
  }
  dependencies.log.note(workspace.id, "info", "webview", `${drivenBy ?? caller.userName} ${wordsFor(action, url)}`);
}

type KeptAction = Exclude<WebviewAction, { action: "refresh" }>;

function patchOf(action: KeptAction, { state }: WebviewTab, url: URL | undefined): JsonObject {
  switch (action.action) {
    case "navigate":
      return { url: url?.href ?? action.url, visit: (state.visit ?? 0) + 1, title: null };
    case "setHeaderHidden":
      return { headerHidden: action.hidden };
    case "setProxyEnabled":
      return { proxyEnabled: action.enabled };
  }
}

async function refresh(
  { workspaces, live }: Dependencies,
  workspace: Workspace,
  { tab }: WebviewTab,
  drivenBy: string | undefined,
): Promise<void> {
  const order = { kind: "refresh", tabId: tab.id } as const;
  const answered = await live.ask(workspace.id, order, { timeoutMs: PANELS_LIMITS.refreshTimeoutMs });
  if (!answered.ok) throw problemOf(answered);
  if (drivenBy !== undefined && drivenBy !== tab.drivenBy) {
    await workspaces.patchState(workspace.id, tab.id, {}, drivenBy);
  }
}

function problemOf(answered: Exclude<Answered, { ok: true }>): Problem {
  switch (answered.reason) {
    case "no-browser":
      return new Problem("no-browser-session", { detail: "Open the workspace in a browser, then try again." });
    case "timeout":
      return new Problem("browser-timeout");
    case "busy":
      return new Problem("browser-busy", { headers: { "retry-after": "1" } });
    case "refused":
      return new Problem(answered.code === "tab-unknown" ? "tab-unknown" : "not-rendered", { detail: answered.detail });
  }
}

/** Addresses without their query, which may hold secrets. */
function wordsFor(action: WebviewAction, url: URL | undefined): string {
  switch (action.action) {
    case "navigate":
      return `opened ${url?.origin ?? ""}${url?.pathname ?? ""}`;
    case "refresh":
      return "reloaded a web view";
    case "setHeaderHidden":
      return `${action.hidden ? "hid" : "showed"} the address bar`;
    case "setProxyEnabled":
      return `turned the proxy ${action.enabled ? "on" : "off"}`;
  }
}
