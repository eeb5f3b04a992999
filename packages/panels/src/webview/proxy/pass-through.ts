import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { goPath, placeOf } from "../passes/frame-addresses.ts";
import type { ProxyContext } from "./answer.ts";
import { SiteFault } from "./faults.ts";
import type { SiteAnswer } from "./fetch-site.ts";
import { boundBytes, textOfPage, unpackers } from "./page-text.ts";
import { asksForDocument, headersForSite, isNavigation, type Way } from "./request-headers.ts";
import {
  contentTypeOf,
  hasNoBody,
  headersForBrowser,
  isDownload,
  isHtml,
  isRedirect,
  one,
  ownHeaders,
  type SiteHeaders,
} from "./response-headers.ts";
import { createAddressMap, createPageRewriter, rewriteRefresh } from "./rewrite-page.ts";

/** One request of the frame to its site, and the answer back: pages rewritten, everything else as it is. */
export async function passThrough(
  context: ProxyContext,
  request: IncomingMessage,
  response: ServerResponse,
  way: Way,
): Promise<void> {
  const { guard, site, limits } = context;
  const url = URL.parse(way.site + (request.url ?? "/"));
  if (url?.origin !== way.site) throw new SiteFault("address-refused");
  guard.expectUrl(url);
  const isDocument = asksForDocument(request);
  using cancel = cancelOnClose(response);
  const headers = headersForSite(request.headers, way, { isDocument });
  const answer = await site.fetch(request, way.site, headers, cancel.signal);
  try {
    if (isRedirect(answer.status)) return answerRedirect(context, request, response, answer, url);
    if (isDocument && !hasNoBody(request.method, answer.status)) {
      if (isDownload(answer)) throw new SiteFault("download");
      if (isHtml(answer)) return await answerPage(context, response, answer, { url, frame: way.frame });
    }
    refuseLarge(answer, limits.maxAnswerBytes);
    writeHead(context, response, answer.status, withRefresh(answer.headers, url, way.frame));
    if (hasNoBody(request.method, answer.status)) response.end();
    else await pipeline(answer.body, boundBytes(limits.maxAnswerBytes, "too-large"), response);
  } finally {
    drop(answer);
  }
}

function writeHead(context: ProxyContext, response: ServerResponse, status: number, headers: SiteHeaders): void {
  response.writeHead(status, headersForBrowser(headers, ownHeaders(context.ancestors), context.cookieAttributes));
}

/**
 * To the browser, which comes back through us: every hop is checked as the first was. What a page loads goes to other
 * sites by itself, as it would without us.
 */
function answerRedirect(
  context: ProxyContext,
  request: IncomingMessage,
  response: ServerResponse,
  answer: SiteAnswer,
  url: URL,
): void {
  const { "content-length": _, "content-type": __, "content-encoding": ___, refresh: ____, ...kept } = answer.headers;
  const { location, ...rest } = kept;
  const target = location === undefined ? undefined : URL.parse(asText(one(location) ?? ""), url.href);
  if (location !== undefined && !target) throw new SiteFault("unreadable");
  if (target && target.protocol !== "http:" && target.protocol !== "https:") throw new SiteFault("address-refused");
  const headers = headersForBrowser(rest, ownHeaders(context.ancestors), context.cookieAttributes);
  if (target) headers.push("location", redirectAddress(target, url, isNavigation(request)));
  response.writeHead(answer.status, [...headers, "content-length", "0"]);
  response.end();
}

/** A header is read as a character for a byte; browsers read addresses in it as UTF-8. */
const asText = (header: string): string => Buffer.from(header, "latin1").toString("utf8");

function redirectAddress(target: URL, url: URL, isNavigating: boolean): string {
  if (target.origin !== url.origin) return isNavigating ? goPath(target) : target.href;
  const place = placeOf(target);
  return place.startsWith("//") ? `/.${place}` : place;
}

async function answerPage(
  context: ProxyContext,
  response: ServerResponse,
  answer: SiteAnswer,
  place: { url: URL; frame: string },
): Promise<void> {
  const { limits } = context;
  refuseLarge(answer, limits.maxPageBytes);
  const unpack = unpackers(one(answer.headers["content-encoding"]));
  if (!unpack) throw new SiteFault("unreadable");
  const source = await firstBytes(answer.body, unpack, limits.maxPageBytes);
  const { "content-length": _, "content-encoding": __, etag: ___, "last-modified": ____, ...rest } = answer.headers;
  writeHead(context, response, answer.status, {
    ...withRefresh(rest, place.url, place.frame),
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "accept-ranges": undefined,
  });
  const text = Readable.from(textOfPage(source, contentTypeOf(answer)), { objectMode: true });
  await pipeline(text, createPageRewriter(place, context.tracker(place.url.origin)), response);
}

/** Waits until it begins: what cannot be unpacked, or never comes, can then still be told with a page. */
async function firstBytes(body: Readable, unpack: readonly Transform[], maxBytes: number): Promise<Readable> {
  const bounded = boundBytes(maxBytes, "too-large");
  const done = pipeline([body, ...unpack, bounded]);
  const begun = new Promise<void>((resolve) => bounded.once("readable", resolve).once("end", resolve));
  await Promise.race([begun, done]);
  // From here on a fault reaches whoever reads.
  done.catch(() => {});
  return bounded;
}

function withRefresh(headers: SiteHeaders, url: URL, frame: string): SiteHeaders {
  const refresh = one(headers.refresh);
  if (refresh === undefined) return headers;
  return { ...headers, refresh: rewriteRefresh(refresh, createAddressMap({ url, frame })) };
}

function refuseLarge({ headers }: SiteAnswer, maxBytes: number): void {
  if (Number(one(headers["content-length"]) ?? 0) > maxBytes) throw new SiteFault("too-large");
}

/** The rest of an answer that nobody reads would keep its connection. */
function drop({ body }: SiteAnswer): void {
  body.on("error", () => {});
  body.destroy();
}

function cancelOnClose(response: ServerResponse): { signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const onClose = () => controller.abort(new SiteFault("broken-off"));
  response.once("close", onClose);
  return { signal: controller.signal, [Symbol.dispose]: () => void response.off("close", onClose) };
}
