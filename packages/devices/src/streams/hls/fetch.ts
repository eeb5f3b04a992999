import type { Socket } from "node:net";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import { readBytes } from "@backplane/kit/bounded-body";
import { Agent } from "undici";
import { type Network, reasonOf } from "../../sources/link.ts";

const { hlsFetchMs } = DEVICES_LIMITS;
const MAX_REDIRECTS = 3;
const MAX_CONNECTIONS = 4;
const MAX_HEADER_BYTES = 16_384;

export type Fetched = { type: string; bytes: Buffer; address: string };

/** Files of an HLS stream of somebody else. */
export type FetchFile = {
  /** Rejects with why there is none, in words. `take` is told of all bytes as they come, and throws why they are too many. */
  get(address: string, maxBytes: number, take: (bytes: number) => void): Promise<Fetched>;
  close(): void;
};

/** Over connections that the private-address rule allows. The token goes to the host of `home` and to no other. */
export function createFetch({ connect }: Network, home: string, token: string | undefined): FetchFile {
  const agent = new Agent({
    ...{ connections: MAX_CONNECTIONS, pipelining: 1, allowH2: false, maxHeaderSize: MAX_HEADER_BYTES },
    ...{ headersTimeout: hlsFetchMs, bodyTimeout: hlsFetchMs },
    connect({ hostname, port, protocol }, callback) {
      const isSecure = protocol === "https:";
      connect({ isSecure, hostname, port: portOf(port, isSecure), timeoutMs: hlsFetchMs }).then(
        (socket: Socket) => callback(null, socket),
        (error: Error) => callback(error, null),
      );
    },
  });

  async function get(
    address: string,
    maxBytes: number,
    take: (bytes: number) => void,
    redirects = 0,
  ): Promise<Fetched> {
    const { origin, pathname, search, hostname, port, protocol } = new URL(address);
    const headers = token !== undefined && origin === new URL(home).origin ? { authorization: `Bearer ${token}` } : {};
    const signal = AbortSignal.timeout(2 * hlsFetchMs);
    const answer = await agent
      .request({ origin, path: `${pathname}${search}`, method: "GET", headers, signal })
      .catch((error: unknown) => {
        const place = { host: hostname, port: portOf(port, protocol === "https:") };
        throw new Error(reasonOf(causeOf(error), place, "STREAM_ALLOW"));
      });
    const { statusCode, body } = answer;
    const location = answer.headers.location;
    if (statusCode >= 300 && statusCode < 400 && typeof location === "string") {
      body.on("error", () => {}).destroy();
      const next = URL.canParse(location, address) ? new URL(location, address) : undefined;
      if (redirects >= MAX_REDIRECTS || (next?.protocol !== "http:" && next?.protocol !== "https:"))
        throw new Error(`${hostname} leads to another address that cannot be used.`);
      return get(next.href, maxBytes, take, redirects + 1);
    }
    if (statusCode !== 200) {
      body.on("error", () => {}).destroy();
      throw new Error(statusWords(statusCode, hostname));
    }
    const bytes = await readBytes(counted(body as AsyncIterable<Buffer>, take), maxBytes);
    if (!bytes) throw new Error(`A file of ${hostname} is larger than ${maxBytes / 1_048_576} MiB.`);
    return { type: String(answer.headers["content-type"] ?? ""), bytes: Buffer.from(bytes.buffer), address };
  }

  return { get, close: () => void agent.destroy().catch(() => {}) };
}

async function* counted(body: AsyncIterable<Buffer>, take: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const piece of body) {
    take(piece.length);
    yield piece;
  }
}

const portOf = (port: string | undefined, isSecure: boolean): number =>
  port === "" || port === undefined ? (isSecure ? 443 : 80) : Number(port);

const causeOf = (error: unknown): unknown => {
  const { name, cause } = error as Error;
  if (name === "TimeoutError") return Object.assign(new Error("too slow"), { code: "ETIMEDOUT" });
  return cause ?? error;
};

function statusWords(status: number, host: string): string {
  if (status === 401 || status === 403) return `${host} does not accept this token (${status}). Correct it.`;
  if (status === 404 || status === 410)
    return `${host} has nothing at this address (${status}). Check the part after the host.`;
  return `${host} answered ${status} instead of the video.`;
}
