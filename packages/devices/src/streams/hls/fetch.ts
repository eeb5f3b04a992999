import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { Network } from "../../sources/link.ts";
import { createGuardedFetch, statusWords } from "../guarded-fetch.ts";

const { hlsFetchMs } = DEVICES_LIMITS;
const MAX_REDIRECTS = 3;

export type Fetched = { type: string; bytes: Buffer; address: string };

/** Files of an HLS stream of somebody else. */
export type FetchFile = {
  /** Rejects with why there is none, in words. `take` is told of all bytes as they come, and throws why they are too many. */
  get(address: string, maxBytes: number, take: (bytes: number) => void): Promise<Fetched>;
  close(): void;
};

export function createFetch(network: Network, home: string, token: string | undefined): FetchFile {
  const { request, close } = createGuardedFetch(network, { home, token, timeoutMs: hlsFetchMs });

  async function get(
    address: string,
    maxBytes: number,
    take: (bytes: number) => void,
    redirects = 0,
  ): Promise<Fetched> {
    const { hostname } = new URL(address);
    const { status, header, bytes, drop } = await request(address, { method: "GET" });
    const location = header("location");
    if (status >= 300 && status < 400 && location !== undefined) {
      drop();
      const next = URL.canParse(location, address) ? new URL(location, address) : undefined;
      if (redirects >= MAX_REDIRECTS || (next?.protocol !== "http:" && next?.protocol !== "https:"))
        throw new Error(`${hostname} leads to another address that cannot be used.`);
      return get(next.href, maxBytes, take, redirects + 1);
    }
    if (status !== 200) {
      drop();
      throw new Error(statusWords(status, hostname));
    }
    return { type: header("content-type") ?? "", bytes: await bytes(maxBytes, take), address };
  }

  return { get, close };
}
