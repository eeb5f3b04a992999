import type { WebviewFraming, WebviewLimits } from "@backplane/contract/panels";
import type { Guard } from "@backplane/kit/guard";
import { readSiteUrl } from "../../site-url.ts";
import { type SiteFaultReason, siteFaultOf } from "../proxy/faults.ts";
import type { FetchSite } from "../proxy/fetch-site.ts";
import { isDownload, isRedirect, one } from "../proxy/response-headers.ts";
import { framingRefusal } from "./framing-headers.ts";

type SiteHead = Awaited<ReturnType<FetchSite["head"]>>;
type Dependencies = {
  guard: Pick<Guard, "expectUrl">;
  site: Pick<FetchSite, "head">;
  limits: Pick<WebviewLimits, "framingTimeoutMs" | "maxFramingRedirects">;
};
/** The page that would frame the site, and the browser whose request is imitated. */
export type Embedder = { origin: string; userAgent: string | undefined; languages: string | undefined };

/**
 * Whether a browser would show a site inside our page, judged by the headers of its answer. A browser does not reveal
 * that. Nothing else of the answer is read or passed on.
 */
export async function checkFraming(dependencies: Dependencies, url: URL, embedder: Embedder): Promise<WebviewFraming> {
  const signal = AbortSignal.timeout(dependencies.limits.framingTimeoutMs);
  try {
    return await follow(dependencies, url, embedder, signal);
  } catch (error) {
    if (signal.aborted) return { framing: "unknown", reason: "timeout" };
    const fault = siteFaultOf(error);
    if (!fault) throw error;
    return wordFor(fault.reason);
  }
}

async function follow(
  dependencies: Dependencies,
  first: URL,
  embedder: Embedder,
  signal: AbortSignal,
): Promise<WebviewFraming> {
  const page = new URL(embedder.origin);
  let url = first;
  for (let hops = 0; hops <= dependencies.limits.maxFramingRedirects; hops += 1) {
    if (isMixed(url, page)) return { framing: "refused", reason: "mixed-content" };
    dependencies.guard.expectUrl(url);
    const answer = await dependencies.site.head(url, headersOf(embedder), signal);
    const next = leadsTo(answer, url);
    if (next === undefined) return judge(answer, url, page);
    if (!next.ok) break;
    url = next.url;
  }
  return { framing: "unknown", reason: null };
}

/** The site does not support HEAD, so its answer to a browser is unknown. */
const TAKES_NO_HEAD: ReadonlySet<number> = new Set([400, 405, 501]);

function judge(answer: SiteHead, url: URL, page: URL): WebviewFraming {
  if (TAKES_NO_HEAD.has(answer.status)) return { framing: "unknown", reason: null };
  const reason = isDownload(answer) ? "download" : framingRefusal(answer.headers, url, page);
  return reason ? { framing: "refused", reason } : { framing: "allowed", reason: null };
}

/** Undefined: not a redirect. Browsers ignore what the headers of a redirect say about frames. */
function leadsTo({ status, headers }: SiteHead, url: URL) {
  const location = one(headers.location);
  if (!isRedirect(status) || location === undefined) return undefined;
  return readSiteUrl(URL.parse(Buffer.from(location, "latin1").toString("utf8"), url.href)?.href ?? "");
}

const headersOf = ({ userAgent, languages }: Embedder): Record<string, string> => ({
  accept: "text/html,application/xhtml+xml,*/*;q=0.8",
  ...(languages === undefined ? {} : { "accept-language": languages }),
  ...(userAgent === undefined ? {} : { "user-agent": userAgent }),
  ...{ "sec-fetch-dest": "iframe", "sec-fetch-mode": "navigate", "sec-fetch-site": "cross-site" },
});

function wordFor(reason: SiteFaultReason): WebviewFraming {
  switch (reason) {
    // The browser may reach addresses that the proxy must not.
    case "address-refused":
      return { framing: "unknown", reason: "private-address" };
    case "port-refused":
      return { framing: "refused", reason: "port" };
    case "name-not-found":
    case "certificate":
      return { framing: "unknown", reason };
    case "timed-out":
      return { framing: "unknown", reason: "timeout" };
    case "connection-refused":
    case "no-secure-connection":
    case "broken-off":
      return { framing: "unknown", reason: "unreachable" };
    default:
      return { framing: "unknown", reason: null };
  }
}

const isLoopback = (hostname: string): boolean =>
  /^(.+\.)?localhost\.?$/.test(hostname) || /^127(\.\d+){3}$/.test(hostname) || hostname === "[::1]";

/** A page over https cannot embed one over http, except from the same machine. */
const isMixed = (url: URL, page: URL): boolean =>
  page.protocol === "https:" && url.protocol === "http:" && !isLoopback(url.hostname);
