import {
  type JsonData,
  PANELS_LIMITS,
  ShownPage,
  WEBVIEW_LIMITS,
  type WebviewLimits,
  type WebviewReport,
} from "@backplane/contract/panels";
import { fits } from "@backplane/kit/schemas";
import type { Services, Workspace } from "../../services.ts";
import { activeWebview } from "./active-webview.ts";

/** What a web view shows: as its browser says, or as it will be when one opens. */
export async function report(
  { live }: Pick<Services, "live">,
  workspace: Workspace,
  panelId: string,
  limits: Pick<WebviewLimits, "reportTimeoutMs">,
): Promise<WebviewReport> {
  const { tab, state } = activeWebview(workspace.layout.root, panelId);
  const order = { kind: "webview", tabId: tab.id } as const;
  const answered = await live.ask(workspace.id, order, { timeoutMs: limits.reportTimeoutMs });
  const shown = answered.ok ? readShown(answered.value) : undefined;
  return {
    ...{ panelId, tabId: tab.id },
    ...{ url: state.url ?? null, title: state.title ?? null, scroll: null, loading: false, fault: null },
    ...shown,
    headerHidden: state.headerHidden ?? false,
    proxyEnabled: state.proxyEnabled ?? false,
    live: shown !== undefined,
  };
}

/** A browser shows pages of anybody: its answer is checked, and cut to length. */
function readShown(value: JsonData): ShownPage | undefined {
  if (!fits(ShownPage, value)) return undefined;
  const { url, title, scroll, loading, fault } = value;
  return {
    ...{ url, loading },
    scroll: scroll && { x: scroll.x, y: scroll.y, height: scroll.height },
    title: title?.slice(0, PANELS_LIMITS.maxTitleLength) ?? null,
    fault: fault?.slice(0, WEBVIEW_LIMITS.maxFaultLength) ?? null,
  };
}
