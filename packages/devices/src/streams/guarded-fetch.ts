import type { Socket } from "node:net";
import { readBytes } from "@backplane/kit/bounded-body";
import type { Agent } from "undici";
import { type Network, reasonOf } from "../sources/link.ts";

const MAX_CONNECTIONS = 4;
const MAX_HEADER_BYTES = 16_384;

export type GuardedRequest = { method: "GET" | "POST" | "DELETE"; headers?: Record<string, string>; body?: string };
/** `bytes`: throws when there are more than the limit; `take` is told about every piece, and may throw. */
export type GuardedAnswer = {
  status: number;
  header(name: string): string | undefined;
  bytes(maxBytes: number, take?: (bytes: number) => void): Promise<Buffer>;
  drop(): void;
};

/** Requests to servers of others. */
export type GuardedFetch = {
  /** Rejects with why there is no answer, in words. Redirects are answers. */
  request(address: string, request: GuardedRequest): Promise<GuardedAnswer>;
  close(): void;
};

/** Over connections that the private-address rule allows. The token goes to the host of `home` and to no other. */
export function createGuardedFetch(
  { connect }: Network,
  { home, token, timeoutMs }: { home: string; token: string | undefined; timeoutMs: number },
): GuardedFetch {
  let agent: Promise<Agent> | undefined;
  // Loaded for the first request, because it takes much memory.
  const openAgent = async (): Promise<Agent> =>
    new (await import("undici")).Agent({
      ...{ connections: MAX_CONNECTIONS, pipelining: 1, allowH2: false, maxHeaderSize: MAX_HEADER_BYTES },
      ...{ headersTimeout: timeoutMs, bodyTimeout: timeoutMs },
      connect({ hostname, port, protocol }, callback) {
        const isSecure = protocol === "https:";
        connect({ isSecure, hostname, port: portOf(port, isSecure), timeoutMs }).then(
          (socket: Socket) => callback(null, socket),
          (error: Error) => callback(error, null),
        );
      },
    });
  return {
    async request(address, { method, headers: given = {}, body: sent }) {
      const { origin, pathname, search, hostname, port, protocol } = new URL(address);
      const isHome = token !== undefined && origin === new URL(home).origin;
      const headers = { ...given, ...(isHome ? { authorization: `Bearer ${token}` } : {}) };
      const signal = AbortSignal.timeout(2 * timeoutMs);
      const wanted = { origin, path: `${pathname}${search}`, method, headers, signal };
      agent ??= openAgent();
      const answer = await (await agent)
        .request({ ...wanted, ...(sent === undefined ? {} : { body: sent }) })
        .catch((error) => {
          const place = { host: hostname, port: portOf(port, protocol === "https:") };
          throw new Error(reasonOf(causeOf(error), place, "STREAM_ALLOW"));
        });
      const { statusCode: status, body } = answer;
      return {
        status,
        header(name) {
          const value = answer.headers[name];
          return typeof value === "string" ? value : undefined;
        },
        async bytes(maxBytes, take = () => {}) {
          const read = await readBytes(counted(body as AsyncIterable<Buffer>, take), maxBytes);
          if (!read) throw new Error(`A file of ${hostname} is larger than ${sizeWords(maxBytes)}.`);
          return Buffer.from(read.buffer);
        },
        drop: () => void body.on("error", () => {}).destroy(),
      };
    },
    close: () => void agent?.then((opened) => opened.destroy()).catch(() => {}),
  };
}

async function* counted(body: AsyncIterable<Buffer>, take: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const piece of body) {
    take(piece.length);
    yield piece;
  }
}

const sizeWords = (bytes: number): string => (bytes < 1_048_576 ? `${bytes / 1_024} KiB` : `${bytes / 1_048_576} MiB`);

const portOf = (port: string | undefined, isSecure: boolean): number =>
  port === "" || port === undefined ? (isSecure ? 443 : 80) : Number(port);

const causeOf = (error: unknown): unknown => {
  const { name, cause } = error as Error;
  if (name === "TimeoutError") return Object.assign(new Error("too slow"), { code: "ETIMEDOUT" });
  return cause ?? error;
};

/** Of an answer that is not what was asked for. */
export function statusWords(status: number, host: string): string {
  if (status === 401 || status === 403) return `${host} does not accept this token (${status}). Correct it.`;
  if (status === 404 || status === 410)
    return `${host} has nothing at this address (${status}). Check the part after the host.`;
  return `${host} answered ${status} instead of the video.`;
}
