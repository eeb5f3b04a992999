import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { pipeline, type Readable } from "node:stream";
import type { WebviewLimits } from "@backplane/contract/panels";
import type { Connect } from "@backplane/kit/guard";
import type { Agent, Dispatcher } from "undici";
import { boundBytes } from "./page-text.ts";

export type SiteAnswer = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Readable;
};

export type FetchSite = {
  fetch(
    request: IncomingMessage,
    site: string,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<SiteAnswer>;
  /** Status and headers of a page. Uses HEAD, so that a link that works only once is not used up. */
  head(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<Omit<SiteAnswer, "body">>;
  get(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<SiteAnswer>;
  close(): Promise<void>;
};

/** Of an answer that the browser does not read. Each byte may be a piece of its own, which takes far more memory. */
const WAITING_BYTES = 8_192;

/** Requests to sites, over guarded connections. Redirects are not followed but passed to the browser. */
export function createFetchSite(connect: Connect, limits: WebviewLimits): FetchSite {
  let agent: Promise<Agent> | undefined;
  // Loaded for the first request, because it takes much memory.
  const openAgent = async (): Promise<Agent> =>
    new (await import("undici")).Agent({
      connections: limits.maxConnectionsPerOrigin,
      pipelining: 1,
      allowH2: false,
      headersTimeout: limits.headersTimeoutMs,
      bodyTimeout: limits.idleTimeoutMs,
      maxHeaderSize: limits.maxHeaderBytes,
      connect({ hostname, port, protocol }, callback) {
        const isSecure = protocol === "https:";
        connect({
          ...{ isSecure, hostname, timeoutMs: limits.connectTimeoutMs },
          port: port === "" || port === undefined ? (isSecure ? 443 : 80) : Number(port),
        }).then(
          (socket: Socket) => callback(null, socket),
          (error: Error) => callback(error, null),
        );
      },
    });
  const request: Agent["request"] = async (options: Dispatcher.RequestOptions) => {
    agent ??= openAgent();
    return (await agent).request(options);
  };
  const ask = async (
    method: "GET" | "HEAD",
    { origin, pathname, search }: URL,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<SiteAnswer> => {
    const answer = await request({ origin, path: `${pathname}${search}`, method, headers, signal });
    return { status: answer.statusCode, headers: answer.headers, body: answer.body };
  };
  return {
    async fetch(asked, site, headers, signal) {
      const { method = "GET", url: path = "/" } = asked;
      const {
        statusCode,
        headers: answered,
        body,
      } = await request({
        ...{ origin: site, path, method: method as Dispatcher.HttpMethod, headers, signal },
        body: hasBody(asked) ? bounded(asked, limits.maxRequestBytes) : null,
        highWaterMark: WAITING_BYTES,
      });
      return { status: statusCode, headers: answered, body };
    },
    async head(...asked) {
      const { body, ...head } = await ask("HEAD", ...asked);
      body.on("error", () => {}).destroy();
      return head;
    },
    get: (...asked) => ask("GET", ...asked),
    close: async () => (await agent)?.destroy(),
  };
}

const hasBody = ({ method, headers }: IncomingMessage): boolean =>
  method !== "GET" &&
  method !== "HEAD" &&
  (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0);

/** An error on either side ends the other; undici reports it to the caller that waits for the answer. */
function bounded(request: IncomingMessage, maxBytes: number): Readable {
  return pipeline(request, boundBytes(maxBytes, "request-too-large"), () => {});
}
