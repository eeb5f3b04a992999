import { type Static, Type } from "typebox";
import { nullable, PANEL, SET_HEADER_HIDDEN, SITE_PERMISSIONS, SITE_URL } from "./common.ts";
import { PANELS_LIMITS } from "./limits.ts";

/** PATCH /api/panels/webview/{owner}/{repo} */
export const WebviewAction = Type.Union([
  Type.Object({ ...PANEL, action: Type.Literal("navigate"), url: SITE_URL }),
  Type.Object({ ...PANEL, action: Type.Literal("refresh") }),
  SET_HEADER_HIDDEN,
  Type.Object({ ...PANEL, action: Type.Literal("setProxyEnabled"), enabled: Type.Boolean() }),
]);
export type WebviewAction = Static<typeof WebviewAction>;

/** What a browser answers to the order "webview". */
export const ShownPage = Type.Object({
  url: nullable(Type.String({ maxLength: PANELS_LIMITS.maxUrlLength })),
  title: nullable(Type.String()),
  scroll: nullable(Type.Object({ x: Type.Number(), y: Type.Number(), height: Type.Number() })),
  loading: Type.Boolean(),
  fault: nullable(Type.String({ description: "Why the page is blank, if it is" })),
});
export type ShownPage = Static<typeof ShownPage>;
/** GET /api/panels/webview/{owner}/{repo}?panelId= */
export const WebviewReport = Type.Object({
  panelId: Type.String(),
  tabId: Type.String(),
  ...ShownPage.properties,
  headerHidden: Type.Boolean(),
  proxyEnabled: Type.Boolean(),
  live: Type.Boolean({ description: "Whether a browser shows it now" }),
});
export type WebviewReport = Static<typeof WebviewReport>;

/** POST /api/panels/webview/{owner}/{repo}/framing and …/icon */
export const WebviewSite = Type.Object({ url: SITE_URL });
/** POST /api/panels/webview/{owner}/{repo}/pass */
export const WebviewEntry = Type.Object({ url: SITE_URL, ...SITE_PERMISSIONS });
export type SitePermissions = { popups?: boolean | undefined; downloads?: boolean | undefined };
/**
 * The `sandbox` of a site's frame. `allow-same-origin` lets the site keep its own origin, with its cookies and storage.
 * A window that it may open is an ordinary one.
 */
export const siteSandbox = ({ popups = false, downloads = false }: SitePermissions): string =>
  [
    "allow-scripts allow-forms allow-same-origin",
    ...(popups ? ["allow-popups allow-popups-to-escape-sandbox"] : []),
    ...(downloads ? ["allow-downloads"] : []),
  ].join(" ");
export const WebviewPass = Type.Object({
  src: Type.String({ description: "The address of the frame, valid for one minute" }),
  label: Type.String(),
  origin: Type.String({ description: "The origin of the frame" }),
});
/** Whether a frame of ours can show a site, and why not. */
export const WebviewFraming = Type.Object({
  framing: Type.Enum(["allowed", "refused", "unknown"]),
  reason: nullable(
    Type.Enum([
      ...(["x-frame-options", "frame-ancestors", "mixed-content", "port", "download"] as const),
      ...(["unreachable", "name-not-found", "timeout", "certificate", "private-address"] as const),
    ]),
  ),
});
export type WebviewFraming = Static<typeof WebviewFraming>;

export const SiteIcon = Type.Object({ icon: nullable(Type.String({ description: "A data URL" })) });
export type SiteIcon = Static<typeof SiteIcon>;

/** Texts that both the panel and the proxy's own pages show in place of a site. */
export const SITE_FAULT_TITLES = {
  refused: "The site refuses connections",
  notFound: "Site not found",
  certificate: "The certificate of this site is not valid",
  timeout: "The site did not answer in time",
  download: "This is a file to download",
};
export const OPEN_IN_TAB = "Open it in its own browser tab.";
export const ONLY_PAGES = `Panels can only show pages. ${OPEN_IN_TAB}`;
