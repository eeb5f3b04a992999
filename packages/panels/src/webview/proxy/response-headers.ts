import { type SitePermissions, siteSandbox } from "@backplane/contract/panels";
import { rewriteSetCookie } from "../passes/cookies.ts";
import type { SiteAnswer } from "./fetch-site.ts";
import { isForConnection } from "./request-headers.ts";

/**
 * Headers about one connection, headers that forbid framing, headers that apply to a whole host name (which is ours), and
 * headers that send reports elsewhere. Our own headers isolate the page instead.
 */
const NOT_PASSED_ON: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "proxy-connection", "proxy-authenticate", "te", "trailer", "transfer-encoding"],
  ...["upgrade", "alt-svc", "alt-used", "set-cookie", "set-cookie2", "location"],
  ...["x-frame-options", "content-security-policy", "content-security-policy-report-only", "document-policy"],
  ...["cross-origin-opener-policy", "cross-origin-opener-policy-report-only", "cross-origin-resource-policy"],
  ...["cross-origin-embedder-policy", "cross-origin-embedder-policy-report-only", "origin-agent-cluster"],
  ...["strict-transport-security", "public-key-pins", "expect-ct", "clear-site-data", "service-worker-allowed"],
  ...[
    "report-to",
    "reporting-endpoints",
    "nel",
    "referrer-policy",
    "speculation-rules",
    "critical-ch",
    "cache-control",
  ],
]);
const FOR_OTHER_ORIGINS = /^access-control-/;

export type SiteHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Name, value, name, value: a site may send a header several times. */
export function headersForBrowser(headers: SiteHeaders, own: readonly string[], cookieAttributes: string): string[] {
  const passed: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || NOT_PASSED_ON.has(name) || FOR_OTHER_ORIGINS.test(name)) continue;
    for (const line of Array.isArray(value) ? value : [value]) {
      if (name !== "www-authenticate" || !isForConnection(line)) passed.push(name, line);
    }
  }
  for (const line of setCookieLines(headers, cookieAttributes)) passed.push("set-cookie", line);
  const cacheControl = keptByBrowserOnly(one(headers["cache-control"]));
  return [...passed, ...own, "cache-control", cacheControl];
}

export function setCookieLines(headers: SiteHeaders, cookieAttributes: string): string[] {
  const lines = headers["set-cookie"] ?? [];
  return (Array.isArray(lines) ? lines : [lines]).flatMap((line) => rewriteSetCookie(line, cookieAttributes));
}

/** On every answer of a frame's host. */
export function ownHeaders(ancestors: readonly string[], allowed: SitePermissions = {}): string[] {
  const policy = `sandbox ${siteSandbox(allowed)}; frame-ancestors 'self' ${ancestors.join(" ")}`;
  return [
    ["content-security-policy", policy],
    // Not "no-referrer": forms would then send no origin, and sites that check it would refuse them.
    ["referrer-policy", "same-origin"],
    ["cross-origin-resource-policy", "same-origin"],
  ].flat();
}

/** A shared cache would give everybody what was fetched with one person's cookies. */
function keptByBrowserOnly(cacheControl: string | undefined): string {
  const kept = (cacheControl ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "" && !/^(public|private|s-maxage|proxy-revalidate)\b/i.test(part));
  return ["private", ...kept].join(", ");
}

export const one = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

const SHOWN = /^(text\/|image\/|audio\/|video\/|application\/(json|xml|xhtml\+xml|javascript|[\w.+-]+\+(xml|json))\b)/;

export const contentTypeOf = ({ headers }: Pick<SiteAnswer, "headers">): string =>
  (one(headers["content-type"]) ?? "").trim().toLowerCase();

export const isHtml = (answer: Pick<SiteAnswer, "headers">): boolean => /^text\/html\b/.test(contentTypeOf(answer));

/** Content that a frame, which may not download, would leave blank. */
export function isDownload(answer: Pick<SiteAnswer, "headers">): boolean {
  const disposition = one(answer.headers["content-disposition"]) ?? "";
  if (/^\s*attachment\b/i.test(disposition)) return true;
  const type = contentTypeOf(answer);
  return type !== "" && !SHOWN.test(type);
}

/** These answers never have a body, whatever their headers say. */
export const hasNoBody = (method: string | undefined, status: number): boolean =>
  method === "HEAD" || status === 204 || status === 304;

export const isRedirect = (status: number): boolean => status >= 300 && status < 400 && status !== 304;
