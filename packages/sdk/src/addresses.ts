import { invalidOption } from "./errors.ts";

/** Where the gateway listens unless told otherwise. */
const DEFAULT_GATEWAY_URL = "http://localhost:8795";

export type GatewayAddresses = { redirectUri: string; wsUrl: string };

/** The one redirect URI that is registered with the provider, and where to wait for what arrives at it. */
export function gatewayAddresses(given: {
  gatewayUrl?: string | undefined;
  gatewayWsUrl?: string | undefined;
}): GatewayAddresses {
  const base = webAddress("gatewayUrl", given.gatewayUrl ?? DEFAULT_GATEWAY_URL, ["http:", "https:"]);
  if (base.search !== "") throw invalidOption("gatewayUrl", "has a query; give the address alone");
  const root = base.href.replace(/\/+$/, "");
  const wsUrl =
    given.gatewayWsUrl === undefined
      ? `${root.replace(/^http/, "ws")}/ws`
      : webAddress("gatewayWsUrl", given.gatewayWsUrl, ["ws:", "wss:"]).href;
  return { redirectUri: `${root}/callback`, wsUrl };
}

/** Refuses what is no address of these schemes. The value stays out of the message: it may hold a password. */
export function webAddress(field: string, value: string, schemes: readonly string[]): URL {
  const names = schemes.map((scheme) => `${scheme}//`).join(" or ");
  if (typeof value !== "string" || !URL.canParse(value))
    throw invalidOption(field, `is no address; give one with ${names}`);
  const url = new URL(value);
  if (!schemes.includes(url.protocol)) throw invalidOption(field, `does not begin with ${names}`);
  if (url.username !== "" || url.password !== "") throw invalidOption(field, "holds a name or password; leave it out");
  // RFC 6749 sections 3.1 and 3.2: no endpoint has a fragment.
  if (url.hash !== "") throw invalidOption(field, "has a fragment; leave out what follows #");
  return url;
}

/** Where secrets go: encrypted, or not off this machine (RFC 6749 section 3.2). */
export function tokenAddress(value: string): URL {
  const url = webAddress("tokenUrl", value, ["https:", "http:"]);
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw invalidOption("tokenUrl", "is not encrypted; give one with https://, or one of this machine");
  }
  return url;
}

/** Of a parsed address: there a name never looks like 127.0.0.1, and 127.1 is written out. */
export const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
