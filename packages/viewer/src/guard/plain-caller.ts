import type { IncomingMessage } from "node:http";
import { hostNameOf, judgeCaller } from "@backplane/kit/http";

type HostHeaders = { headers: { host?: string | undefined }; host: string | undefined };

const OWN_HOSTS = ["localhost", "127.0.0.1", "::1"];

/**
 * Whether the Host header is one of the viewer's own names. Another site can point its name at this machine (DNS rebinding)
 * and is then the same origin, but its requests still have that name.
 */
export function createHostCheck(viewerUrl: string, more: readonly string[] = []): (request: HostHeaders) => boolean {
  const known = new Set([...OWN_HOSTS, hostNameOf(new URL(viewerUrl).host) ?? "localhost", ...more]);
  // `host` is what a trusted proxy forwards.
  return ({ headers, host }) => [headers.host, host].every((name) => known.has(hostNameOf(name ?? "") ?? ""));
}

/** Sent by browsers, proxies or callers on other machines: such requests go through the guard. */
const UNUSUAL = ["origin", "sec-fetch-site", "authorization", "content-encoding"];

/**
 * Whether a request comes directly from a program on this machine, so that the guard would allow it. False means only that
 * the guard must decide.
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
