import { networkInterfaces } from "node:os";
import { isLoopbackAddress } from "./addresses.ts";

/** The platform's own addresses: the proxy never connects to them, whatever else is allowed. */
export type OwnAddresses = {
  /** A port that this process listens on, seen on its sockets. */
  learnPort(port: number | undefined): void;
  hasName(hostname: string, port: number): boolean;
  hasAddress(address: string, port: number): boolean;
};

export function createOwnAddresses({
  baseUrl,
  framesUrl,
  ownPorts = [],
}: {
  baseUrl: string;
  framesUrl: string;
  /** Ports of the other processes of this Backplane. */
  ownPorts?: readonly number[] | undefined;
}): OwnAddresses {
  const base = new URL(baseUrl);
  const frames = new URL(framesUrl.replace("*.", "any."));
  const framesSuffix = frames.hostname.slice("any".length);
  const ports = new Set([portOf(base), portOf(frames), ...ownPorts]);
  /** Any program may use names below "localhost": there, only the port identifies the platform. */
  const isTheirs = (name: string, port: number) => isLocalhostName(name) && !ports.has(port);
  return {
    learnPort(port) {
      if (port !== undefined) ports.add(port);
    },
    hasName(hostname, port) {
      const name = withoutDots(hostname);
      const isOwn = name === base.hostname || name === framesSuffix.slice(1) || name.endsWith(framesSuffix);
      return isOwn && !isTheirs(name, port);
    },
    hasAddress: (address, port) => ports.has(port) && (isLoopbackAddress(address) || isOfThisMachine(address)),
  };
}

export const portOf = ({ port, protocol }: Pick<URL, "port" | "protocol">): number =>
  port === "" ? (protocol === "https:" || protocol === "wss:" ? 443 : 80) : Number(port);

export const withoutDots = (hostname: string): string => hostname.toLowerCase().replace(/(?<!\.)\.+$/, "");

/** RFC 6761: never resolved by a name server. */
export const isLocalhostName = (name: string): boolean => name === "localhost" || name.endsWith(".localhost");

const isOfThisMachine = (address: string): boolean =>
  Object.values(networkInterfaces()).some((all) =>
    all?.some((own) => own.address === address.replace(/^::ffff:/i, "")),
  );
