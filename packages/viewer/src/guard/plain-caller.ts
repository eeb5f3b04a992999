import type { IncomingMessage } from "node:http";
import { hostNameOf, judgeCaller } from "@backplane/kit/http";

/** What of a request says for whom it is. */
type Asked = { headers: { host?: string | undefined }; host: string | undefined };

const OWN_HOSTS = ["localhost", "127.0.0.1", "::1"];

/**
 * Whether a request asks for the viewer by a name that is its own. A page of another site can make its name point at
 * this machine (DNS rebinding) and would then be of the same origin; but its requests carry that name.
 */
export function createHostCheck(viewerUrl: string): (request: Asked) => boolean {
  const known = new Set([...OWN_HOSTS, hostNameOf(new URL(viewerUrl).host) ?? "localhost"]);
  // The second is what a proxy that is trusted says it was asked for.
  return ({ headers, host }) => [headers.host, host].every((name) => known.has(hostNameOf(name ?? "") ?? ""));
}

/** Of browsers and of proxies, or for who is somewhere else: with one of these a request is for the guard to judge. */
const UNUSUAL = ["origin", "sec-fetch-site", "authorization", "content-encoding"];

/**
 * Whether a request comes straight from a program of this machine that asks by one of its names, so that the guard
 * would let it in. False: nothing is said; the guard decides.
 */
export function createPlainCallerCheck(viewerUrl: string, viewerToken: string): (request: IncomingMessage) => boolean {
  const isKnownHost = createHostCheck(viewerUrl);
  return ({ method = "", socket, headers }) => {
    if (UNUSUAL.some((name) => headers[name] !== undefined)) return false;
    const peer = socket.remoteAddress ?? "";
    const caller = { method, peer, address: peer, isForwardedByTrusted: false, headers };
    return isKnownHost({ headers, host: headers.host }) && judgeCaller(caller, viewerToken) === "here";
  };
}
