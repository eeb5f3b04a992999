import { type LookupAddress, lookup as lookUpName } from "node:dns";
import { createAddressCheck, literalAddress } from "./addresses.ts";
import { createOwnAddresses, isLocalhostName, portOf, withoutDots } from "./own-addresses.ts";

/** Backplane does not connect to this address for somebody else. */
export class AddressRefused extends Error {
  override name = "AddressRefused";
  readonly code = "ADDRESS_REFUSED";
}

/** Neither the proxy nor any browser uses this port. */
export class PortRefused extends AddressRefused {
  override name = "PortRefused";
}

/** The addresses of a name, or an error with the code of node:dns. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export type Guard = {
  /** Throws AddressRefused when the URL alone shows that it must not be requested. */
  expectUrl(url: URL): void;
  /** The addresses to connect to. Each was checked, and the name is not resolved again (DNS rebinding). */
  resolve(hostname: string, port: number): Promise<readonly LookupAddress[]>;
  /** Throws unless an open connection leads to an allowed address. */
  expectConnected(address: string | undefined, port: number): void;
  learnOwnPort(port: number | undefined): void;
};

export type GuardOptions = {
  allow: readonly string[];
  baseUrl: string;
  framesUrl: string;
  ownPorts?: readonly number[];
  /** Ports that browsers refuse, and that are for what is connected here. */
  ports?: readonly number[];
  resolveName?: Resolve;
};

export function createGuard(options: GuardOptions): Guard {
  const { allow, baseUrl, framesUrl, ownPorts, ports = [], resolveName = askSystem } = options;
  const isAllowed = createAddressCheck(allow);
  const own = createOwnAddresses({ baseUrl, framesUrl, ownPorts });

  function expectAddress(address: string, port: number): void {
    if (!isAllowed(address)) throw new AddressRefused("not a public address");
    if (own.hasAddress(address, port)) throw new AddressRefused("the platform itself");
  }

  function expectPlace(hostname: string, port: number): void {
    if (REFUSED_PORTS.has(port) && !ports.includes(port)) throw new PortRefused("a port that is not for the web");
    if (own.hasName(hostname, port)) throw new AddressRefused("the platform itself");
    const address = literalAddress(hostname);
    if (address !== undefined) expectAddress(address, port);
  }

  return {
    expectUrl(url) {
      if (!/^(http|ws)s?:$/.test(url.protocol)) throw new AddressRefused("not an address of the web");
      if (url.username !== "" || url.password !== "") throw new AddressRefused("contains a user name or password");
      expectPlace(url.hostname, portOf(url));
    },
    async resolve(hostname, port) {
      expectPlace(hostname, port);
      const address = literalAddress(hostname);
      if (address !== undefined) return [{ address, family: address.includes(":") ? 6 : 4 }];
      const found = isLocalhostName(withoutDots(hostname)) ? localhost(isAllowed) : await resolveName(hostname);
      // A private address among public ones is an attack.
      for (const one of found) expectAddress(one.address, port);
      if (found.length === 0) throw Object.assign(new Error("no address"), { code: "ENOTFOUND" });
      return found;
    },
    expectConnected(address, port) {
      if (address === undefined) throw new AddressRefused("not connected");
      expectAddress(address, port);
    },
    learnOwnPort: own.learnPort,
  };
}

/** The loopback addresses that are allowed; if none is, both, which are then refused. */
function localhost(isAllowed: (address: string) => boolean): LookupAddress[] {
  const both: LookupAddress[] = [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ];
  const allowed = both.filter(({ address }) => isAllowed(address));
  return allowed.length > 0 ? allowed : both;
}

const askSystem: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    lookUpName(hostname, { all: true, verbatim: true }, (error, found) => (error ? reject(error) : resolve(found)));
  });

/**
 * Ports of services that are not for the web, where a request could be read as commands: those that browsers refuse
 * (Fetch Standard, "bad port"), and port 0, which is invalid.
 */
const REFUSED_PORTS: ReadonlySet<number> = new Set([
  ...[0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95],
  ...[101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179],
  ...[389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636],
  ...[989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566],
  ...[6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
]);
