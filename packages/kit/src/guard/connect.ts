import { connect as connectPlainly, type LookupFunction, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import type { Guard } from "./guard.ts";

export type ConnectOptions = { isSecure: boolean; hostname: string; port: number; timeoutMs: number };

export type Connect = (options: ConnectOptions) => Promise<Socket>;

/** Connects to a checked address, and no other. Proxied requests and WebSockets both use it. */
export function createConnect(guard: Guard): Connect {
  return async ({ isSecure, hostname, port, timeoutMs }) => {
    const bare = hostname.replace(/^\[|\]$/g, "");
    const addresses = await withinTime(guard.resolve(hostname, port), timeoutMs);
    // Node calls this instead of asking a name server.
    const lookup: LookupFunction = (_hostname, options, callback) => {
      const [first] = addresses;
      if (options.all) callback(null, [...addresses]);
      else if (first) callback(null, first.address, first.family);
    };
    const options = { host: bare, port, lookup, autoSelectFamily: true };
    const socket = isSecure
      ? connectSecurely({
          ...options,
          ALPNProtocols: ["http/1.1"],
          servername: isName(bare, addresses) ? bare.replace(/\.$/, "") : "",
        })
      : connectPlainly(options);
    try {
      await withinTime(connected(socket, isSecure ? "secureConnect" : "connect"), timeoutMs);
      guard.expectConnected(socket.remoteAddress, port);
    } catch (error) {
      socket.on("error", () => {});
      socket.destroy();
      throw error;
    }
    return socket.setNoDelay(true);
  };
}

const isName = (host: string, addresses: readonly { address: string }[]): boolean =>
  !addresses.some(({ address }) => address === host);

function connected(socket: Socket, event: "connect" | "secureConnect"): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error) => reject(error);
    socket.once("error", onError);
    socket.once("close", () => reject(Object.assign(new Error("closed"), { code: "ECONNRESET" })));
    socket.once(event, () => {
      socket.off("error", onError);
      resolve();
    });
  });
}

async function withinTime<Value>(work: Promise<Value>, timeoutMs: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error("too slow"), { code: "ETIMEDOUT" })), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
