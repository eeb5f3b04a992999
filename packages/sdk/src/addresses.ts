import { type ErrorClass, invalidOption, OAuthError } from "./errors.ts";

const DEFAULT_GATEWAY_URL = "http://localhost:8795";

type InvalidOption = ErrorClass<"invalid-option">;

export type GatewayAddresses = { redirectUri: string; wsUrl: string };

/** The redirect URI to register with the provider, and the address to wait at for what arrives there. */
export function gatewayAddresses(given: {
  gatewayUrl?: string | undefined;
  gatewayWsUrl?: string | undefined;
}): GatewayAddresses {
  const base = webAddress(OAuthError, "gatewayUrl", given.gatewayUrl ?? DEFAULT_GATEWAY_URL, ["http:", "https:"]);
  if (base.search !== "") throw invalidOption(OAuthError, "gatewayUrl", "has a query; leave it out");
  const root = base.href.replace(/(?<!\/)\/+$/, "");
  const wsUrl =
    given.gatewayWsUrl === undefined
      ? `${root.replace(/^http/, "ws")}/ws`
      : webAddress(OAuthError, "gatewayWsUrl", given.gatewayWsUrl, ["ws:", "wss:"]).href;
  return { redirectUri: `${root}/callback`, wsUrl };
}

/** The value stays out of the error message: it may contain a password. */
export function webAddress(errorClass: InvalidOption, field: string, value: string, schemes: readonly string[]): URL {
  const refuse = (fault: string) => invalidOption(errorClass, field, fault);
  const names = schemes.map((scheme) => `${scheme}//`).join(" or ");
  if (typeof value !== "string" || !URL.canParse(value)) throw refuse(`is not an address; it begins with ${names}`);
  const url = new URL(value);
  if (!schemes.includes(url.protocol)) throw refuse(`does not begin with ${names}`);
  if (url.username !== "" || url.password !== "") throw refuse("contains a name or password; leave it out");
  // RFC 6749 sections 3.1 and 3.2: no endpoint has a fragment.
  if (url.hash !== "") throw refuse("has a fragment; leave out # and what follows");
  return url;
}

/** Secrets are sent there: encrypted, or on this machine (RFC 6749 section 3.2). */
export function tokenAddress(value: string): URL {
  const url = webAddress(OAuthError, "tokenUrl", value, ["https:", "http:"]);
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw invalidOption(OAuthError, "tokenUrl", "is not encrypted; use https://, or an address on this machine");
  }
  return url;
}

export type ServerOptions = {
  /** The address of Backplane: its BASE_URL. */
  baseUrl: string;
  /** Over plain http others can read the tokens. Allowed on this machine; elsewhere only with this option. Default false. */
  allowHttp?: boolean | undefined;
};

/** The address without a slash at its end, if secrets may be sent to it. */
export function rootOf({ baseUrl, allowHttp }: ServerOptions, errorClass: InvalidOption): string {
  const url = webAddress(errorClass, "baseUrl", baseUrl, ["https:", "http:"]);
  const refuse = (fault: string) => invalidOption(errorClass, "baseUrl", fault);
  if (url.search !== "") throw refuse("has a query; leave it out");
  if (url.protocol === "http:" && !isLoopback(url.hostname) && allowHttp !== true) {
    throw refuse("is not encrypted; use https://, or set allowHttp if you trust the network");
  }
  return url.href.replace(/(?<!\/)\/+$/, "");
}

/** For the host name of a parsed URL: there 127.1 is already written out, and no other name looks like 127.0.0.1. */
const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
