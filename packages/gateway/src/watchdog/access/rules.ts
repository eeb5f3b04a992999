import { createHash, timingSafeEqual } from "node:crypto";
import { isLoopbackAddress, isLoopbackHost } from "./loopback.ts";

/** What of a request decides whether it is let in. */
export type Caller = {
  method: string;
  /** Who is at the other end of the connection. */
  peer: string;
  /** Who asks: the same, unless a proxy that is trusted named somebody else. */
  address: string;
  /** Whether that was so: a proxy that is not trusted may speak for anybody. */
  isForwardedByTrusted: boolean;
  headers: Readonly<Record<string, string | string[] | undefined>>;
};

export type Verdict = "allowed" | "token-needed" | "token-wrong" | "foreign-page";

/** Headers that a proxy adds: a request that has one does not come straight from this machine. */
const PROXY_HEADER = /^(?:forwarded|x-forwarded-.*|x-real-ip|via|cf-.*|true-client-ip)$/;

/** Loopback only; off loopback it needs a bearer token. */
export function judge(caller: Caller, token: string): Verdict {
  const sent = bearerToken(caller.headers.authorization);
  // Whoever sends the token is no page that rides on somebody's browser: those cannot know it.
  if (sent !== undefined && isSame(sent, token)) return "allowed";
  if (!isOnLoopback(caller)) return sent === undefined ? "token-needed" : "token-wrong";
  const onlyReads = caller.method === "GET" || caller.method === "HEAD";
  return !onlyReads && isFromForeignPage(caller) ? "foreign-page" : "allowed";
}

function isOnLoopback({ peer, address, isForwardedByTrusted, headers }: Caller): boolean {
  if (!isLoopbackAddress(peer) || !isLoopbackAddress(address)) return false;
  if (!isForwardedByTrusted && Object.keys(headers).some((name) => PROXY_HEADER.test(name))) return false;
  const hosts = [headers.host, headers["x-forwarded-host"] ?? headers.host];
  return hosts.every((host) => typeof host === "string" && isLoopbackHost(host));
}

/** Browsers say where a request comes from; programs say nothing, and are let in. */
function isFromForeignPage({ headers }: Caller): boolean {
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${headers.host}` && origin !== `https://${headers.host}`) return true;
  const site = headers["sec-fetch-site"];
  return site !== undefined && site !== "same-origin" && site !== "none";
}

function bearerToken(authorization: string | string[] | undefined): string | undefined {
  return typeof authorization === "string" ? /^Bearer +(\S+)$/i.exec(authorization)?.[1] : undefined;
}

/** In constant time, whatever the lengths. */
function isSame(sent: string, token: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(sent), digest(token));
}
