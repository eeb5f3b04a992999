import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { goPath, pathOnHost } from "../passes/frame-addresses.ts";
import type { ProxyContext } from "./context.ts";
import { SiteFault } from "./faults.ts";
import type { SiteAnswer } from "./fetch-site.ts";
import { boundBytes, textOfPage, unpackers } from "./page-text.ts";
import { asksForDocument, type FramedSite, headersForSite, isNavigation } from "./request-headers.ts";
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

/** Sends one request of the frame to its site and answers it: pages are rewritten, everything else stays as it is. */
export async function passThrough(
  context: ProxyContext,
  request: IncomingMessage,
  response: ServerResponse,
  framed: FramedSite,
  userId: string,
): Promise<void> {
  const { guard, site, limits } = context;
  const url = URL.parse(framed.site + (request.url ?? "/"));
  if (url?.origin !== framed.site) throw new SiteFault("address-refused");
  guard.expectUrl(url);
  const isDocument = asksForDocument(request);
  using cancel = cancelOnClose(response);
  const headers = headersForSite(request.headers, framed, { isDocument });
  const answer = await site.fetch(request, framed.site, headers, cancel.signal);
  try {
    if (isRedirect(answer.status)) return answerRedirect(context, request, response, answer, url);
    if (isDocument && !hasNoBody(request.method, answer.status)) {
      const isFile = isDownload(answer);
      if (isFile && framed.downloads !== true) throw new SiteFault("download");
      if (!isFile && isHtml(answer)) return await answerPage(context, response, answer, { url, framed, userId });
    }
    refuseLarge(answer, limits.maxAnswerBytes);
    writeHead(context, response, answer.status, withRefresh(answer.headers, url, framed.frame), framed);
    if (hasNoBody(request.method, answer.status)) response.end();
    else await pipeline(answer.body, boundBytes(limits.maxAnswerBytes, "too-large"), response);
  } finally {
    drop(answer);
  }
}

function writeHead(
  { ancestors, cookieAttributes }: ProxyContext,
  response: ServerResponse,
  status: number,
  headers: SiteHeaders,
  framed: FramedSite,
): void {
  response.writeHead(status, headersForBrowser(headers, ownHeaders(ancestors, framed), cookieAttributes));
}

/**
 * Redirects go to the browser, which comes back through the proxy, so that every hop is checked. What a page loads from
 * other sites it loads directly, as it would without the proxy.
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

/** Node decodes headers as Latin-1; browsers read addresses in them as UTF-8. */
const asText = (header: string): string => Buffer.from(header, "latin1").toString("utf8");

function redirectAddress(target: URL, url: URL, isNavigating: boolean): string {
  if (target.origin !== url.origin) return isNavigating ? goPath(target) : target.href;
  return pathOnHost(target);
}

async function answerPage(
  context: ProxyContext,
  response: ServerResponse,
  answer: SiteAnswer,
  { url, framed, userId }: { url: URL; framed: FramedSite; userId: string },
): Promise<void> {
  const { limits } = context;
  const { frame, popups = false } = framed;
  refuseLarge(answer, limits.maxPageBytes);
  const unpack = unpackers(one(answer.headers["content-encoding"]));
  if (!unpack) throw new SiteFault("unreadable");
  const source = await firstBytes(answer.body, unpack, limits.maxPageBytes);
  const { "content-length": _, "content-encoding": __, etag: ___, "last-modified": ____, ...rest } = answer.headers;
  const headers = {
    ...withRefresh(rest, url, frame),
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "accept-ranges": undefined,
  };
  writeHead(context, response, answer.status, headers, framed);
  const text = Readable.from(textOfPage(source, contentTypeOf(answer)), { objectMode: true });
  using held = context.holdText(userId);
  const rewriter = createPageRewriter({ url, frame, popups }, context.tracker(url.origin, popups), held);
  await pipeline(text, rewriter, response);
}

/** Waits for the first bytes, so that an answer that cannot be decoded, or never comes, still gets an error page. */
async function firstBytes(body: Readable, unpack: readonly Transform[], maxBytes: number): Promise<Readable> {
  const bounded = boundBytes(maxBytes, "too-large");
  // Packed bytes are bounded too: without end, they may unpack to nothing.
  const unpacking = unpack.flatMap((unpacker) => [boundBytes(maxBytes, "too-large"), unpacker]);
  const done = pipeline([body, ...unpacking, bounded]);
  const begun = new Promise<void>((resolve) => bounded.once("readable", resolve).once("end", resolve));
  await Promise.race([begun, done]);
  // From here on the reader sees errors.
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

/** An answer that is not read to its end would keep its connection. */
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
