import type { IncomingMessage } from "node:http";
import { judgeCaller } from "@backplane/kit/http";
import { createHostCheck } from "./hosts.ts";

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
