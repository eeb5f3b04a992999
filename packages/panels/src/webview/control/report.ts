import { type JsonData, PANELS_LIMITS, type WebviewReport } from "@backplane/contract/panels";
import { fits } from "@backplane/kit/schemas";
import { type Static, Type } from "typebox";
import type { Services, Workspace } from "../../services.ts";
import type { WebviewLimits } from "../limits.ts";
import { WEBVIEW_LIMITS } from "../limits.ts";
import { activeWebview } from "./active-webview.ts";

const nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** What a browser answers to the order "webview". It shows pages of anybody: nothing of it is believed unchecked. */
const Shown = Type.Object({
  url: nullable(Type.String({ maxLength: PANELS_LIMITS.maxUrlLength })),
  title: nullable(Type.String()),
  scroll: nullable(Type.Object({ x: Type.Number(), y: Type.Number(), height: Type.Number() })),
  loading: Type.Boolean(),
  fault: nullable(Type.String()),
});
type Shown = Static<typeof Shown>;

export const WebviewReportSchema = Type.Object({
  panelId: Type.String(),
  tabId: Type.String(),
  ...Shown.properties,
  headerHidden: Type.Boolean(),
  proxyEnabled: Type.Boolean(),
  live: Type.Boolean({ description: "Whether a browser shows it now" }),
});

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

function readShown(value: JsonData): Shown | undefined {
  if (!fits(Shown, value)) return undefined;
  const { url, title, scroll, loading, fault } = value;
  return {
    ...{ url, loading },
    scroll: scroll && { x: scroll.x, y: scroll.y, height: scroll.height },
    title: title?.slice(0, WEBVIEW_LIMITS.maxTitleLength) ?? null,
    fault: fault?.slice(0, WEBVIEW_LIMITS.maxFaultLength) ?? null,
  };
}
