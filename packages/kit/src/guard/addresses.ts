import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Public addresses at which clouds serve the machines in them: Azure's agent and DNS, and IBM's private services. */
const OF_CLOUDS: readonly [ipaddr.IPv4, number][] = ["168.63.129.16/32", "161.26.0.0/16", "166.8.0.0/14"].map((range) =>
  ipaddr.IPv4.parseCIDR(range),
);
/** RFC 4291: the range of public addresses. ipaddr.js calls everything that has no other name "unicast". */
const GLOBAL_IPV6: [ipaddr.IPv6, number] = ipaddr.IPv6.parseCIDR("2000::/3");
/** RFC 5214: the two prefixes of an interface identifier that contains an IPv4 address. */
const ISATAP: ReadonlySet<number> = new Set([0x0000, 0x0200]);

/** Undefined: not an address, or one with an interface of this machine (`%eth0`). */
function parse(text: string): Address | undefined {
  if (text.includes("%") || !ipaddr.isValid(text)) return undefined;
  const address = ipaddr.parse(text);
  // ::ffff:10.0.0.1 is 10.0.0.1.
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

export type AddressCheck = (address: string) => boolean;

/**
 * Whether a proxy, or a source of devices, may connect to an address: a public one, or one in an allowed range. IPv6 addresses that contain an
 * IPv4 address (6to4, Teredo, NAT64, ISATAP, compatible) could lead into private networks: never.
 */
export function createAddressCheck(allowed: readonly string[]): AddressCheck {
  const ranges = allowed.map(parseRange);
  return (text) => {
    const address = parse(text);
    return address !== undefined && (isPublic(address) || ranges.some((range) => contains(range, address)));
  };
}

function parseRange(text: string): Range {
  if (text.includes("/")) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

const contains = ([network, bits]: Range, address: Address): boolean =>
  network instanceof ipaddr.IPv4
    ? address instanceof ipaddr.IPv4 && address.match(network, bits)
    : address instanceof ipaddr.IPv6 && address.match(network, bits);

function isPublic(address: Address): boolean {
  if (address.range() !== "unicast") return false;
  if (address instanceof ipaddr.IPv4) return !OF_CLOUDS.some((range) => address.match(range));
  const [, , , , fifth = 0, sixth] = address.parts;
  return address.match(GLOBAL_IPV6) && !(sixth === 0x5efe && ISATAP.has(fifth));
}

/** The address in a URL's host, if it is one. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return ipaddr.isValid(bare) ? bare : undefined;
}

export function isLoopbackAddress(text: string): boolean {
  const address = parse(text);
  return address !== undefined && (address.range() === "loopback" || address.range() === "unspecified");
}
