import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import { countAnswer } from "./http/request-meter.ts";
import { addUsualHeaders } from "./http/usual-headers.ts";
import { Problem } from "./problems.ts";

export type EventStreamLimits = {
  /** How often a comment is sent, so that proxies do not close an idle stream. */
  pingMs: number;
  /** How long an EventSource waits before it connects again. */
  retryMs: number;
  /** A reader that leaves more than this unread is cut off: it reads the state again when it reconnects. */
  maxUnsentBytes: number;
  maxStreams: number;
};

const EVENT_STREAM_LIMITS: EventStreamLimits = {
  pingMs: 15_000,
  retryMs: 2_000,
  maxUnsentBytes: 64 * 1024,
  maxStreams: 20_000,
};

export type EventStream = {
  /** One event; without a name it is a plain `message`. Data may have several lines. An EventSource that connects again sends the last `id`. */
  send(event: string | undefined, data: string, id?: string): void;
  /** Ends the stream once everything was sent. */
  end(): void;
  onClose(listener: () => void): void;
};

export type EventStreams = {
  open(reply: FastifyReply): EventStream;
  count(): number;
  /** Ends every stream; clients reconnect elsewhere after retryMs. */
  close(): void;
};

/** Without a blank line, of which readers such as httpx-sse or sseclient may make an empty event. */
const PING = ": ping\n";

/** The server-sent event streams of one process. One timer pings them all. */
export function createEventStreams(overrides: Partial<EventStreamLimits> = {}): EventStreams {
  const limits = { ...EVENT_STREAM_LIMITS, ...overrides };
  const open = new Set<ServerResponse>();
  function forget(this: ServerResponse): void {
    open.delete(this);
  }
  const pinger = setInterval(() => {
    for (const response of open) write(response, PING, limits.maxUnsentBytes);
  }, limits.pingMs).unref();

  return {
    open(reply) {
      if (open.size >= limits.maxStreams) {
        throw new Problem("too-many-requests", {
          detail: `This process already serves ${limits.maxStreams} event streams.`,
          headers: { "retry-after": "5" },
        });
      }
      const response = reply.raw;
      const isBehindAnother = response.socket === null && !response.req.socket.destroyed;
      // The stream could begin only after the answer before it, and Node does not report when that ends or whether the client has left.
      if (isBehindAnother) {
        throw new Problem("too-many-requests", {
          detail: "This connection waits for another answer. Open one for the stream alone.",
          headers: { "retry-after": "1" },
        });
      }
      reply.hijack();
      // The client may have left while the handler was busy: "close" is not emitted again.
      const isGone = response.destroyed || response.socket?.destroyed !== false;
      if (isGone) return GONE;
      open.add(response);
      response.once("close", forget);
      addUsualHeaders(reply);
      response.writeHead(200, {
        ...(reply.getHeaders() as OutgoingHttpHeaders),
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store, no-transform",
        // nginx and other proxies buffer answers unless told not to.
        "x-accel-buffering": "no",
      });
      response.cork();
      // Sending the headers at once lets node free the many strings they were built from.
      response.flushHeaders();
      // Shows the reader that no proxy holds the stream back.
      write(response, PING, limits.maxUnsentBytes);
      response.uncork();
      releaseRequest(response);
      return new OpenStream(response, limits);
    },
    count: () => open.size,
    close() {
      clearInterval(pinger);
      for (const response of open) response.end();
    },
  };
}

/** There may be thousands: methods are shared, and nothing else of a request is kept. */
class OpenStream implements EventStream {
  readonly #response: ServerResponse;
  readonly #limits: EventStreamLimits;
  #isFirst = true;

  constructor(response: ServerResponse, limits: EventStreamLimits) {
    this.#response = response;
    this.#limits = limits;
  }

  send(event: string | undefined, data: string, id?: string): void {
    const { retryMs, maxUnsentBytes } = this.#limits;
    // With the first event, because strict readers make an event of a `retry` that stands alone.
    const retry = this.#isFirst ? `retry: ${retryMs}\n` : "";
    this.#isFirst = false;
    write(this.#response, `${retry}${encodeEvent(event, data, id)}`, maxUnsentBytes);
  }

  end(): void {
    this.#response.end();
  }

  onClose(listener: () => void): void {
    this.#response.once("close", listener);
  }
}

const GONE: EventStream = { send: () => {}, end: () => {}, onClose: (listener) => queueMicrotask(listener) };

function write(response: ServerResponse, text: string, maxUnsentBytes: number): void {
  if (response.writableEnded || response.destroyed) return;
  response.write(text);
  if (response.writableLength > maxUnsentBytes) response.destroy();
}

/**
 * Fastify keeps its request and reply until the answer has ended, for its hooks. A stream counts as answered once it is
 * open: both are released now, and a quarter of an hour of waiting is not measured as a slow answer.
 */
function releaseRequest(response: ServerResponse): void {
  // Without a listener an error would end the process.
  response.on("error", ignore);
  for (const listener of response.listeners("finish")) if (listener.name === "onResFinished") listener.call(response);
  countAnswer(response);
  // Node keeps the request as long as the answer, and the head that it sent, in the pieces that it was made of.
  response.req.rawHeaders = [];
  response.req.headers = {};
  if (response.headersSent) (response as { _header?: string })._header = SENT;
}

const ignore = (): void => {};

/** Any text says that the head was sent. */
const SENT = "sent";

/** An event needs a data line even when it has no data: without one, EventSource drops it. */
export function encodeEvent(event: string | undefined, data: string, id?: string): string {
  if (/[\r\n]/.test(`${event ?? ""}${id ?? ""}`)) throw new RangeError("An event's name and id are one line each.");
  const lines = data.split(/\r\n|\r|\n/).map((line) => (line === "" ? "data:" : `data: ${line}`));
  const head = `${event === undefined ? "" : `event: ${event}\n`}${id === undefined ? "" : `id: ${id}\n`}`;
  return `${head}${lines.join("\n")}\n\n`;
}
