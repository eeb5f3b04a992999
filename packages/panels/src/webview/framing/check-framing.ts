import type { WebviewFraming, WebviewLimits } from "@backplane/contract/panels";
import { readSiteUrl } from "../../site-url.ts";
import type { Guard } from "../guard/guard.ts";
import { type SiteFaultReason, siteFaultOf } from "../proxy/faults.ts";
import type { FetchSite } from "../proxy/fetch-site.ts";
import { isDownload, isRedirect, one } from "../proxy/response-headers.ts";
import { framingRefusal } from "./framing-headers.ts";

type Glance = Awaited<ReturnType<FetchSite["glance"]>>;
type Dependencies = {
  guard: Pick<Guard, "expectUrl">;
  site: Pick<FetchSite, "glance">;
  limits: Pick<WebviewLimits, "framingTimeoutMs" | "maxFramingRedirects">;
};
/** `origin`: of the page that would frame it. The site is asked in the words of its browser. */
export type Asker = { origin: string; userAgent: string | undefined; languages: string | undefined };

/**
 * Whether a browser would show a site inside a page of ours, by the headers of its answer. A browser itself never tells
 * that. Nothing else of the answer is read or given out.
 */
export async function checkFraming(dependencies: Dependencies, url: URL, asker: Asker): Promise<WebviewFraming> {
  const signal = AbortSignal.timeout(dependencies.limits.framingTimeoutMs);
  try {
    return await follow(dependencies, url, asker, signal);
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
  asker: Asker,
  signal: AbortSignal,
): Promise<WebviewFraming> {
  const page = new URL(asker.origin);
  let url = first;
  for (let hops = 0; hops <= dependencies.limits.maxFramingRedirects; hops += 1) {
    if (isMixed(url, page)) return { framing: "refused", reason: "mixed-content" };
    dependencies.guard.expectUrl(url);
    const answer = await dependencies.site.glance(url, headersOf(asker), signal);
    const next = leadsTo(answer, url);
    if (next === undefined) return judge(answer, url, page);
    if (!next.ok) break;
    url = next.url;
  }
  return { framing: "unknown", reason: null };
}

/** Does not take HEAD: what it would say to a browser is not known. */
const TAKES_NO_HEAD: ReadonlySet<number> = new Set([400, 405, 501]);

function judge(answer: Glance, url: URL, page: URL): WebviewFraming {
  if (TAKES_NO_HEAD.has(answer.status)) return { framing: "unknown", reason: null };
  const reason = isDownload(answer) ? "download" : framingRefusal(answer.headers, url, page);
  return reason ? { framing: "refused", reason } : { framing: "allowed", reason: null };
}

/** Undefined: nowhere, this is the page. What a redirect's own headers say about frames, browsers do not mind. */
function leadsTo({ status, headers }: Glance, url: URL) {
  const location = one(headers.location);
  if (!isRedirect(status) || location === undefined) return undefined;
  return readSiteUrl(URL.parse(Buffer.from(location, "latin1").toString("utf8"), url.href)?.href ?? "");
}

const headersOf = ({ userAgent, languages }: Asker): Record<string, string> => ({
  accept: "text/html,application/xhtml+xml,*/*;q=0.8",
  ...(languages === undefined ? {} : { "accept-language": languages }),
  ...(userAgent === undefined ? {} : { "user-agent": userAgent }),
  ...{ "sec-fetch-dest": "iframe", "sec-fetch-mode": "navigate", "sec-fetch-site": "cross-site" },
});

function wordFor(reason: SiteFaultReason): WebviewFraming {
  switch (reason) {
    // The browser may well reach what the proxy must not.
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

/** A page over https holds none over http, unless that is on the same machine. */
const isMixed = (url: URL, page: URL): boolean =>
  page.protocol === "https:" && url.protocol === "http:" && !isLoopback(url.hostname);
