import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { SitePermissions } from "@backplane/contract/panels";
import { cookiesForSite } from "../passes/cookies.ts";

const DOCUMENTS: ReadonlySet<string> = new Set(["document", "iframe", "frame", "embed", "object"]);

/**
 * Whether a page is requested, not a part of one or data for a script. Browsers say so; for other clients it depends on
 * whether they prefer HTML.
 */
export function asksForDocument({ headers }: Pick<IncomingMessage, "headers">): boolean {
  const destination = one(headers, "sec-fetch-dest");
  if (destination !== undefined) return DOCUMENTS.has(destination);
  return headers.accept?.startsWith("text/html") ?? false;
}

/** Whether a frame navigates, as opposed to a request of a script. Without a header, whether HTML is preferred. */
export function isNavigation(request: Pick<IncomingMessage, "headers">): boolean {
  const mode = one(request.headers, "sec-fetch-mode");
  return mode === undefined ? asksForDocument(request) : mode === "navigate";
}

function one(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Headers about one connection (RFC 9110, 7.6.1), headers that the sender sets itself, and headers of proxies before us. */
const NOT_PASSED_ON: ReadonlySet<string> = new Set([
  ...["host", "connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "trailer"],
  ...["transfer-encoding", "upgrade", "expect", "http2-settings", "upgrade-insecure-requests"],
  ...["via", "forwarded", "x-real-ip", "x-client-ip", "true-client-ip", "cookie", "origin", "referer"],
]);
const ABOUT_THE_WAY = /^(x-forwarded-|cf-|sec-websocket-)/;
/** Those of `page-text.ts`; what is not a page is passed on as it comes. */
const ENCODINGS_OF_PAGES: ReadonlySet<string> = new Set(["gzip", "deflate", "identity"]);
const ENCODINGS: ReadonlySet<string> = new Set([...ENCODINGS_OF_PAGES, "br"]);

/**
 * Whether a sign-in is for the connection it is sent on (NTLM, and Negotiate in RFC 4559), not for one request. Connections
 * to a site are shared: the next person on it would be signed in too.
 */
export const isForConnection = (authentication: string): boolean => /^\s*(?:ntlm|negotiate)\b/i.test(authentication);

export type FramedSite = SitePermissions & {
  /** The frame's origin, as the browser names it. */
  frame: string;
  /** The site's own origin. */
  site: string;
};

export function headersForSite(
  headers: IncomingHttpHeaders,
  { frame, site }: FramedSite,
  { isDocument }: { isDocument: boolean },
): Record<string, string> {
  const named = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || NOT_PASSED_ON.has(name) || ABOUT_THE_WAY.test(name) || named.includes(name)) continue;
    passed[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  if (isForConnection(passed.authorization ?? "")) delete passed.authorization;
  set(passed, "cookie", cookiesForSite(headers.cookie, isForeign(headers, frame)));
  set(passed, "origin", originForSite(headers.origin, { frame, site }));
  set(passed, "referer", refererForSite(headers.referer, { frame, site }));
  passed["accept-encoding"] = knownEncodings(headers["accept-encoding"], isDocument ? ENCODINGS_OF_PAGES : ENCODINGS);
  // Some sites refuse to be framed because of this header.
  if (passed["sec-fetch-dest"] === "iframe") passed["sec-fetch-dest"] = "document";
  if (isDocument) {
    // Pages are rewritten: what a browser has cached is not what the site sent.
    for (const name of ["if-none-match", "if-modified-since", "if-range", "range"]) delete passed[name];
  }
  return passed;
}

/** A form or script of another site sent it. A page may hide its own origin, so the browser's word comes first. */
const isForeign = (headers: IncomingHttpHeaders, frame: string): boolean =>
  one(headers, "sec-fetch-site") !== "same-origin" && headers.origin !== undefined && headers.origin !== frame;

/** A request that does not come from the site's own pages must not look as if it did. */
function originForSite(origin: string | undefined, { frame, site }: FramedSite): string | undefined {
  if (origin === undefined) return undefined;
  return origin === frame ? site : "null";
}

function refererForSite(referer: string | undefined, { frame, site }: FramedSite): string | undefined {
  return referer?.startsWith(`${frame}/`) ? site + referer.slice(frame.length) : undefined;
}

function knownEncodings(given: string | undefined, encodings: ReadonlySet<string>): string {
  const known = (given ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => encodings.has(part.split(";", 1)[0]?.trim().toLowerCase() ?? ""));
  return known.length > 0 ? known.join(", ") : "identity";
}

function set(headers: Record<string, string>, name: string, value: string | undefined): void {
  if (value !== undefined) headers[name] = value;
}
