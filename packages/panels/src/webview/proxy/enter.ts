import type { IncomingMessage, ServerResponse } from "node:http";
import { readSiteUrl } from "../../site-url.ts";
import { passCookie } from "../passes/cookies.ts";
import { enterAddress, goTarget, pathOnHost } from "../passes/frame-addresses.ts";
import type { Pass } from "../passes/passes.ts";
import type { ProxyContext } from "./context.ts";
import { SiteFault } from "./faults.ts";
import { isNavigation } from "./request-headers.ts";
import { ownHeaders } from "./response-headers.ts";

/** Enters a frame: the pass in the address becomes a cookie of this host. */
export async function answerEnter(
  { passes, ancestors, cookieAttributes, limits, followAccess }: ProxyContext,
  request: IncomingMessage,
  response: ServerResponse,
  label: string,
): Promise<void> {
  expectNavigation(request);
  const query = new URLSearchParams(request.url?.split("?", 2)[1]);
  const pass = passes.read(query.get("pass") ?? "", "enter", label);
  const stopFollowing = pass && (await followAccess(pass.access, () => {}));
  if (!stopFollowing) throw new SiteFault("pass");
  stopFollowing();
  const cookie = passCookie(passes.stay(pass), cookieAttributes, Math.ceil(limits.stayLifeMs / 1_000));
  redirect(response, pathOf(query.get("to") ?? "/", pass), ancestors, ["set-cookie", cookie]);
}

/** Goes from a page of one site to a page of another: into the other site's frame, with a pass derived from this one. */
export function answerGo(
  { passes, ancestors, framesUrl }: ProxyContext,
  request: IncomingMessage,
  response: ServerResponse,
  pass: Pass,
): void {
  expectNavigation(request);
  const target = readSiteUrl(goTarget(request.url ?? "") ?? "");
  if (!target.ok) throw new SiteFault("address-refused");
  const { url } = target;
  const isSameSite = url.origin === pass.site;
  const entering = () => enterAddress(passes, framesUrl, pass, url, pass.staysUntilMs).src;
  redirect(response, isSameSite ? pathOnHost(url) : entering(), ancestors);
}

/** Otherwise scripts of one site could send requests to another site as if its own pages had. */
function expectNavigation(request: IncomingMessage): void {
  if (!isNavigation(request)) throw new SiteFault("foreign-request");
}

/** A path on this host. */
function pathOf(place: string, { site }: Pass): string {
  const url = place.startsWith("/") ? URL.parse(site + place) : null;
  if (url?.origin !== site) throw new SiteFault("address-refused");
  return pathOnHost(url);
}

/** 307 keeps the method and body of a form. */
function redirect(
  response: ServerResponse,
  location: string,
  ancestors: readonly string[],
  more: readonly string[] = [],
): void {
  response.writeHead(307, [
    ...["location", location, "cache-control", "no-store", "content-length", "0"],
    ...[...ownHeaders(ancestors), ...more],
  ]);
  response.end();
}
