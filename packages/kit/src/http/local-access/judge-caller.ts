import type { FastifyRequest } from "fastify";
import { isLoopbackAddress, isLoopbackHost } from "./loopback.ts";
import { bearerToken, isSameSecret } from "./secrets.ts";

/** What of a request decides whether it is let in. */
export type LocalCaller = {
  method: string;
  /** Who is at the other end of the connection. */
  peer: string;
  /** Who asks: the same, unless a proxy that is trusted named somebody else. */
  address: string;
  /** Whether that was so: a proxy that is not trusted may speak for anybody. */
  isForwardedByTrusted: boolean;
  headers: Readonly<Record<string, string | string[] | undefined>>;
};

/** On this machine; somewhere, with the token; or neither. */
export type CallerVerdict = "here" | "has-token" | "token-needed" | "token-wrong";

export const localCallerOf = (request: FastifyRequest): LocalCaller => ({
  method: request.method,
  peer: request.socket.remoteAddress ?? "",
  address: request.ip,
  isForwardedByTrusted: (request.ips?.length ?? 1) > 1,
  headers: request.headers,
});

/** For servers that answer this machine, and others by a token. */
export function judgeCaller(caller: LocalCaller, token: string): CallerVerdict {
  const sent = bearerToken(caller.headers.authorization);
  if (sent !== undefined && isSameSecret(sent, token)) return "has-token";
  if (isHere(caller)) return "here";
  return sent === undefined ? "token-needed" : "token-wrong";
}

/** Headers that a proxy adds: a request that has one does not come straight from this machine. */
const PROXY_HEADER = /^(?:forwarded|x-forwarded-.*|x-real-ip|via|cf-.*|true-client-ip)$/;

function isHere({ peer, address, isForwardedByTrusted, headers }: LocalCaller): boolean {
  if (!isLoopbackAddress(peer) || !isLoopbackAddress(address)) return false;
  if (!isForwardedByTrusted && Object.keys(headers).some((name) => PROXY_HEADER.test(name))) return false;
  const hosts = [headers.host, headers["x-forwarded-host"] ?? headers.host];
  return hosts.every((host) => typeof host === "string" && isLoopbackHost(host));
}

/** Browsers say where a request comes from; programs say nothing, and are let in. */
export function isFromForeignPage({ headers }: Pick<LocalCaller, "headers">, host = headers.host): boolean {
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) return true;
  const site = headers["sec-fetch-site"];
  return site !== undefined && site !== "same-origin" && site !== "none";
}
