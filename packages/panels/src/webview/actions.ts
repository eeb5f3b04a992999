import {
  type JsonData,
  PANELS_LIMITS,
  ShownPage,
  WEBVIEW_LIMITS,
  WebviewAction,
  type WebviewLimits,
  WebviewReport,
  type WebviewState,
} from "@backplane/contract/panels";
import { fits } from "@backplane/kit/schemas";
import type { Driven, DrivenPanel } from "../driven/driven-panel.ts";
import { browserProblem } from "../problems.ts";
import type { Services } from "../services.ts";
import { expectSiteUrl } from "../site-url.ts";

type Webview = Driven<WebviewState>;

/** What programs do with a web view. All but `refresh` is stored in its state, so it works without a browser too. */
export const webviewPanel = (
  services: Pick<Services, "live" | "workspaces">,
  limits: Pick<WebviewLimits, "reportTimeoutMs">,
): DrivenPanel<WebviewAction, WebviewState> => ({
  kind: "webview",
  actions: WebviewAction,
  description: "`panelId` names a panel whose active tab is a web view, or that tab.",
  report: WebviewReport,
  check(action) {
    if (action.action === "navigate") expectSiteUrl(action.url, "/url");
  },
  act: {
    async navigate(webview, action) {
      const url = expectSiteUrl(action.url, "/url");
      await webview.patch({ url: url.href, visit: (webview.state.visit ?? 0) + 1, title: null });
      // Without the query, which may contain secrets.
      webview.note(`opened ${url.origin}${url.pathname}`);
      return undefined;
    },
    async refresh(webview) {
      await refresh(services, webview);
      webview.note("reloaded a web view");
      return undefined;
    },
    async setProxyEnabled(webview, { enabled }) {
      await webview.patch({ proxyEnabled: enabled });
      webview.note(`turned the proxy ${enabled ? "on" : "off"}`);
      return undefined;
    },
  },
  reportOn: (webview) => report(services, webview, limits),
});

async function refresh(
  { live, workspaces }: Pick<Services, "live" | "workspaces">,
  { workspace, tab, drivenBy }: Webview,
): Promise<void> {
  const order = { kind: "refresh", tabId: tab.id } as const;
  const answered = await live.ask(workspace.id, order, { timeoutMs: PANELS_LIMITS.refreshTimeoutMs });
  if (!answered.ok) throw browserProblem(answered);
  if (drivenBy !== undefined && drivenBy !== tab.drivenBy) {
    await workspaces.patchState(workspace.id, tab.id, {}, drivenBy);
  }
}

/** As its browser reports it, or as it will be when a browser opens it. */
async function report(
  { live }: Pick<Services, "live">,
  { workspace, panelId, tab, state }: Webview,
  { reportTimeoutMs }: Pick<WebviewLimits, "reportTimeoutMs">,
): Promise<WebviewReport> {
  const answered = await live.ask(workspace.id, { kind: "webview", tabId: tab.id }, { timeoutMs: reportTimeoutMs });
  const shown = answered.ok ? readShownPage(answered.value) : undefined;
  return {
    ...{ panelId, tabId: tab.id },
    ...{ url: state.url ?? null, title: state.title ?? null, scroll: null, loading: false, fault: null },
    ...shown,
    headerHidden: state.headerHidden ?? false,
    proxyEnabled: state.proxyEnabled ?? false,
    live: shown !== undefined,
  };
}

/** The page in a browser can be anybody's: what it reports is checked and cut to length. */
function readShownPage(value: JsonData): ShownPage | undefined {
  if (!fits(ShownPage, value)) return undefined;
  const { url, title, scroll, loading, fault } = value;
  return {
    ...{ url, loading },
    scroll: scroll && { x: scroll.x, y: scroll.y, height: scroll.height },
    title: title?.slice(0, PANELS_LIMITS.maxTitleLength) ?? null,
    fault: fault?.slice(0, WEBVIEW_LIMITS.maxFaultLength) ?? null,
  };
}
