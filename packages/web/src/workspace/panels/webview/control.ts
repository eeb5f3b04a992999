import type { SiteIcon, SitePermissions, WebviewFraming } from "@backplane/contract/panels";
import { call } from "../../../calls/call.ts";
import type { PanelContext } from "../../panel.ts";
import { controlFault, panelControl } from "../driven-panel.tsx";
import { safeIcon } from "./site-icon.ts";

export type Control = ReturnType<typeof createControl>;

/** Asks the server for changes of this web view, and about the pages it shows. */
export function createControl(context: PanelContext) {
  const { path, act } = panelControl("webview", context);
  return {
    /** Undefined when it was done, otherwise the reason why not. */
    async act(action: Parameters<typeof act>[0]): Promise<string | undefined> {
      const answer = await act(action);
      return answer.ok ? undefined : controlFault(answer.fault);
    },
    /** The address at which a frame enters the proxy. It is valid for a minute. */
    async pass(url: string, allowed: SitePermissions = {}): Promise<Pass> {
      const body = { url, ...allowed };
      const answer = await call<{ src: string }>({ method: "POST", path: `${path}/pass`, body });
      return answer.ok ? { ok: true, src: answer.value.src } : { ok: false, reason: controlFault(answer.fault) };
    },
    /** The icon of a site that a frame shows directly. */
    async icon(url: string): Promise<string | undefined> {
      const answer = await call<SiteIcon>({ method: "POST", path: `${path}/icon`, body: { url } });
      return answer.ok ? safeIcon(answer.value.icon) : undefined;
    },
    /** Whether a frame can show a site directly; undefined when the server does not know. */
    async framing(url: string): Promise<WebviewFraming | undefined> {
      const answer = await call<WebviewFraming>({ method: "POST", path: `${path}/framing`, body: { url } });
      return answer.ok ? answer.value : undefined;
    },
  };
}

export type Pass = { ok: true; src: string } | { ok: false; reason: string };
