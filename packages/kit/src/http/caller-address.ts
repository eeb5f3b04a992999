import type { IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";
import proxyAddress from "@fastify/proxy-addr";
import { isLoopback } from "../settings.ts";

/** The address that a request counts for: that of its socket or, behind trusted proxies, the one that they name. The same as Fastify's request.ip. */
export function addressReader(trustProxy: readonly string[]): (request: IncomingMessage) => string {
  if (trustProxy.length === 0) return (request) => request.socket.remoteAddress ?? "";
  const isTrusted = proxyAddress.compile([...trustProxy]);
  return (request) => proxyAddress(request, isTrusted);
}

const MAX_ADDRESS_LENGTH = 64;
const GROUPS = 8;
const NETWORK_GROUPS = 4;
/** The address of a connection that was reset before it was accepted. */
const GONE = "unknown";
/** Some proxies add the client's port, which differs from connection to connection. */
const WITH_PORT = /^(?:\[([^\]]+)\]|(\d{1,3}(?:\.\d{1,3}){3}))(?::\d+)?$/;
const MAPPED = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;

/** An address for people: IPv4 also when it came as IPv6, and without the name of a network interface. */
export function plainAddress(ip: string | undefined): string {
  if (!ip) return GONE;
  if (!ip.includes(":")) return ip.slice(0, MAX_ADDRESS_LENGTH);
  const [, six, four] = WITH_PORT.exec(ip) ?? [];
  const bare = six ?? four ?? ip;
  const mapped = MAPPED.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  const [address = ""] = bare.split("%", 1);
  return address.toLowerCase().slice(0, MAX_ADDRESS_LENGTH) || GONE;
}

/** What counts as one caller: an IPv4 address, or a /64 network of IPv6, since hosts change their IPv6 address often. */
export function callerKey(ip: string | undefined): string {
  if (!ip) return GONE;
  if (!ip.includes(":")) return ip.slice(0, MAX_ADDRESS_LENGTH);
  const address = plainAddress(ip);
  if (!isIPv6(address)) return address;
  const groups = groupsOf(address);
  if (isMapped(groups)) return dotted(groups);
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
  return `${network.join(":")}::/64`;
}

/** Whether this caller is the machine itself, such as a local proxy that TRUST_PROXY does not name and that forwards requests of many people. */
export const isThisMachine = (key: string): boolean => isLoopback(key) || key === LOOPBACK_NETWORK;

/** What `callerKey` returns for ::1. */
const LOOPBACK_NETWORK = "0:0:0:0::/64";

/** The eight numbers of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = "", tail] = address.split("::");
  const left = parse(head);
  if (tail === undefined) return left;
  const right = parse(tail);
  return [...left, ...new Array<number>(GROUPS - left.length - right.length).fill(0), ...right];
}

const parse = (part: string): number[] =>
  part === ""
    ? []
    : part.split(":").flatMap((group) => (group.includes(".") ? fromDotted(group) : [Number.parseInt(group, 16)]));

function fromDotted(text: string): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = text.split(".").map(Number);
  return [a * 256 + b, c * 256 + d];
}

/** ::ffff:0:0/96 */
const isMapped = (groups: readonly number[]): boolean =>
  groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);

const dotted = (groups: readonly number[]): string =>
  groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join(".");
