import { BlockList, isIP } from "node:net";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Also for 127.0.0.1 as an IPv6 socket writes it. */
export function isLoopbackAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && LOOPBACK.check(address, family === 4 ? "ipv4" : "ipv6");
}

const HOST_HEADER = /^(?:\[(?<v6>[\da-f:.]+)\]|(?<name>[\w.-]+))(?::\d{1,5})?$/i;

/** The host of a Host header, without its port: a name in small letters, or an address without brackets. Undefined: it is none. */
export function hostNameOf(header: string): string | undefined {
  const { v6, name } = HOST_HEADER.exec(header)?.groups ?? {};
  return v6?.toLowerCase() ?? name?.toLowerCase().replace(/\.$/, "");
}

/**
 * Whether a Host header names this machine. A page of another site can make its own name point here (DNS rebinding), but
 * its requests still carry that name. Browsers never ask a name server for localhost and what ends in it.
 */
export function isLoopbackHost(header: string): boolean {
  const host = hostNameOf(header);
  if (host === undefined) return false;
  return host === "localhost" || host.endsWith(".localhost") || isLoopbackAddress(host);
}
