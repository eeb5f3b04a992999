import type { FastifyRequest } from "fastify";
import { Problem } from "../problems.ts";

/**
 * Throws "foreign-page" when a browser says that a page of another origin makes this request. What says nothing is no
 * browser, and no page stands behind it. Goes by the host that was asked: localhost and 127.0.0.1 are origins of their own.
 */
export function refuseForeignPage(request: FastifyRequest): void {
  const site = request.headers["sec-fetch-site"];
  const { origin } = request.headers;
  // A person who types an address or opens a bookmark ("none") reads; whatever changes something comes from a page.
  const isOwnSite = site === undefined || site === "same-origin" || (site === "none" && isSafe(request.method));
  const isOwnOrigin = origin === undefined || origin.toLowerCase() === originOf(request);
  if (isOwnSite && isOwnOrigin) return;
  throw new Problem("foreign-page", {
    detail: "This takes requests of its own pages only. If it is behind a proxy, name the proxy in TRUST_PROXY.",
  });
}

/** As browsers write it: without the port that the scheme has anyway, which some proxies add to the host's name. */
function originOf({ protocol, host }: FastifyRequest): string {
  const usualPort = protocol === "https" ? /:443$/ : /:80$/;
  return `${protocol}://${host.replace(usualPort, "")}`.toLowerCase();
}

const isSafe = (method: string): boolean => method === "GET" || method === "HEAD";
