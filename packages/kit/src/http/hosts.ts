import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import proxyAddress from "@fastify/proxy-addr";
import { Problem } from "../problems.ts";
import { localUrl, type Settings } from "../settings.ts";
import { hostNameOf, isLoopbackHost } from "./local-access.ts";

type HostSettings = Pick<
  Settings,
  "host" | "baseUrl" | "authUrl" | "gatewayUrl" | "gatewayWsUrl" | "viewerUrl" | "framesUrl" | "allowedHosts"
>;

/** The host names that the settings name. One that begins with `*.` stands for all names below it. */
export function hostsOf(settings: HostSettings): string[] {
  const { host, baseUrl, authUrl, gatewayUrl, gatewayWsUrl, viewerUrl, framesUrl, allowedHosts } = settings;
  const urls = [localUrl(host, 1), baseUrl, authUrl, gatewayUrl, gatewayWsUrl, viewerUrl, framesUrl];
  return [...urls.map((url) => new URL(url).hostname.replace(/^\[|\]$/g, "")), ...allowedHosts];
}

type HostOptions = {
  /** Undefined: any, since the routes have a guard of their own. */
  hosts: readonly string[] | undefined;
  trustProxy: readonly string[];
  /** The address to use instead. */
  url: string;
};

/** What is wrong with the host of a request; undefined: nothing. */
export type HostCheck = (request: IncomingMessage) => Problem | undefined;

/** Each is a short text; there are few in practice. */
const MAX_REMEMBERED = 256;
/** Load balancers ask these by address, or without a host. */
const PROBES: ReadonlySet<string | undefined> = new Set(["/health", "/ready"]);

/**
 * Serves requests only for host names that belong to this server. A page of another site can make its own name point here
 * (DNS rebinding) and would then be of our origin, but its requests still carry that name.
 */
export function createHostCheck({ hosts, trustProxy, url }: HostOptions): HostCheck {
  const names = new Set(hosts);
  const endings = [...names].filter((host) => host.startsWith("*.")).map((host) => host.slice(1));
  const isTrusted = trustProxy.length > 0 ? proxyAddress.compile([...trustProxy]) : undefined;
  /** Host headers that were found good, as they were sent. */
  const good = new Set<string>();

  function isOurs(header: string): boolean {
    if (good.has(header)) return true;
    const name = hostNameOf(header);
    const isKnown =
      name !== undefined &&
      (names.has(name) || isLoopbackHost(header) || endings.some((ending) => name.endsWith(ending)));
    if (isKnown && good.size < MAX_REMEMBERED) good.add(header);
    return isKnown;
  }

  return (request) => {
    const host = soleHost(request.rawHeaders);
    if (host === undefined)
      return new Problem("malformed-request", { detail: "The request has several Host headers." });
    // What a trusted proxy was asked for, as Fastify reads it.
    const forwarded = isTrusted?.(request.socket.remoteAddress ?? "", 0)
      ? String(request.headers["x-forwarded-host"] ?? "")
          .split(",")
          .at(-1)
          ?.trim()
      : undefined;
    if (hosts === undefined || (isOurs(host) && (!forwarded || isOurs(forwarded)))) return undefined;
    const isProbe = PROBES.has(request.url) && (host === "" || isIP(hostNameOf(host) ?? "") !== 0);
    return isProbe
      ? undefined
      : new Problem("host-unknown", { detail: `Open ${url}, or add the host name that you use to ALLOWED_HOSTS.` });
  };
}

/** Empty without one, undefined for several. Does not make node:http build an object of all headers, which would keep the first. */
function soleHost(raw: readonly string[]): string | undefined {
  let host: string | undefined;
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] as string;
    if (name.length !== 4 || name.toLowerCase() !== "host") continue;
    if (host !== undefined) return undefined;
    host = raw[at + 1];
  }
  return host ?? "";
}
