import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import { Problem } from "./problems.ts";

export type EventStreamLimits = {
  /** A comment this often keeps proxies from closing an idle stream. */
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
  /** One event; without a name it is a plain `message`. Data may have several lines. */
  send(event: string | undefined, data: string): void;
  /** Ends the stream after what was sent. */
  end(): void;
  onClose(listener: () => void): void;
};

export type EventStreams = {
  open(reply: FastifyReply): EventStream;
  count(): number;
  /** Ends every stream; clients reconnect elsewhere after retryMs. */
  close(): void;
};

const PING = ": ping\n\n";

/** The server-sent event streams of one process. One timer pings them all. */
export function createEventStreams(overrides: Partial<EventStreamLimits> = {}): EventStreams {
  const limits = { ...EVENT_STREAM_LIMITS, ...overrides };
  const open = new Set<ServerResponse>();

  function write(response: ServerResponse, text: string): void {
    if (response.writableEnded || response.destroyed) return;
    response.write(text);
    if (response.writableLength > limits.maxUnsentBytes) response.destroy();
  }
  const pinger = setInterval(() => {
    for (const response of open) write(response, PING);
  }, limits.pingMs).unref();

  return {
    open(reply) {
      if (open.size >= limits.maxStreams) {
        throw new Problem("too-many-requests", {
          detail: `This process already serves ${limits.maxStreams} event streams.`,
          headers: { "retry-after": "5" },
        });
      }
      reply.hijack();
      const response = reply.raw;
      // Whoever left while the handler was busy is gone for good: "close" does not come a second time.
      const isGone = response.destroyed || response.socket?.destroyed !== false;
      if (isGone) return { send: () => {}, end: () => {}, onClose: (listener) => queueMicrotask(listener) };
      open.add(response);
      response.once("close", () => open.delete(response));
      response.writeHead(200, {
        ...(reply.getHeaders() as OutgoingHttpHeaders),
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store, no-transform",
        // nginx and its kin hold answers back to fill a buffer unless told not to.
        "x-accel-buffering": "no",
      });
      write(response, `retry: ${limits.retryMs}\n\n`);
      return {
        send: (event, data) => write(response, encodeEvent(event, data)),
        end: () => response.end(),
        onClose: (listener) => response.once("close", listener),
      };
    },
    count: () => open.size,
    close() {
      clearInterval(pinger);
      for (const response of open) response.end();
    },
  };
}

/** An event needs a data line even when it has no data: without one, EventSource drops it. */
export function encodeEvent(event: string | undefined, data: string): string {
  if (event !== undefined && /[\r\n]/.test(event)) throw new RangeError("An event's name is one line.");
  const lines = data.split(/\r\n|\r|\n/).map((line) => (line === "" ? "data:" : `data: ${line}`));
  return `${event === undefined ? "" : `event: ${event}\n`}${lines.join("\n")}\n\n`;
}
