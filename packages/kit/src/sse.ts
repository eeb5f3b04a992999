import type { OutgoingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply } from "fastify";
import { countAnswer } from "./http/request-meter.ts";
import { takeSocket } from "./http/taken-socket.ts";
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
  /** After the end of a stream, its reader has this long to take what is left. Until then it counts for the limits of its route. */
  takeEndWithinMs: number;
  /** The same when all streams end, at a stop. */
  endWithinMs: number;
};

const EVENT_STREAM_LIMITS: EventStreamLimits = {
  pingMs: 15_000,
  retryMs: 2_000,
  maxUnsentBytes: 64 * 1024,
  maxStreams: 20_000,
  takeEndWithinMs: 60_000,
  endWithinMs: 2_000,
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
  /** Ends every stream, also those that are opened later; clients reconnect elsewhere after retryMs. */
  close(): void;
};

/** Without a blank line, of which readers such as httpx-sse or sseclient may make an empty event. */
const PING = ": ping\n";

/** The server-sent event streams of one process. One timer pings them all. */
export function createEventStreams(overrides: Partial<EventStreamLimits> = {}): EventStreams {
  const limits = { ...EVENT_STREAM_LIMITS, ...overrides };
  const all: Streams = { limits, open: new Map(), ending: new Map() };
  const { open, ending } = all;
  let isClosed = false;
  function forget(this: Socket): void {
    open.delete(this);
    ending.delete(this);
  }
  const pinger = setInterval(() => {
    for (const stream of open.values()) stream.write(PING);
    const latestMs = performance.now() - limits.takeEndWithinMs;
    for (const [socket, sinceMs] of ending) if (sinceMs < latestMs) socket.destroy();
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
      // The client may have left while the handler was busy: "close" is not emitted again.
      const isGone = response.destroyed || response.socket?.destroyed !== false;
      const socket = isGone ? undefined : takeSocket(response);
      reply.hijack();
      if (!socket) return GONE;
      addUsualHeaders(reply);
      response.writeHead(200, {
        ...(reply.getHeaders() as OutgoingHttpHeaders),
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store, no-transform",
        // nginx and other proxies buffer answers unless told not to.
        "x-accel-buffering": "no",
      });
      const stream = new OpenStream(socket, response.chunkedEncoding, all);
      socket.cork();
      response.flushHeaders();
      // Shows the reader that no proxy holds the stream back.
      stream.write(PING);
      socket.uncork();
      // Now: a quarter of an hour of waiting would be measured as a slow answer.
      countAnswer(response);
      open.set(socket, stream);
      socket.on("close", forget);
      if (isClosed) stream.end();
      return stream;
    },
    count: () => open.size,
    close() {
      isClosed = true;
      clearInterval(pinger);
      for (const stream of open.values()) stream.end();
      if (ending.size === 0) return;
      setTimeout(() => {
        for (const socket of ending.keys()) socket.destroy();
      }, limits.endWithinMs).unref();
    },
  };
}

type Streams = {
  readonly limits: EventStreamLimits;
  readonly open: Map<Socket, OpenStream>;
  /** Ended, but not read to the end, and since when. */
  readonly ending: Map<Socket, number>;
};

/** There may be thousands: methods are shared, and nothing of a request is kept. */
class OpenStream implements EventStream {
  readonly #socket: Socket;
  readonly #isChunked: boolean;
  readonly #all: Streams;
  #isFirst = true;

  constructor(socket: Socket, isChunked: boolean, all: Streams) {
    this.#socket = socket;
    this.#isChunked = isChunked;
    this.#all = all;
  }

  send(event: string | undefined, data: string, id?: string): void {
    // With the first event, because strict readers make an event of a `retry` that stands alone.
    const retry = this.#isFirst ? `retry: ${this.#all.limits.retryMs}\n` : "";
    this.#isFirst = false;
    this.write(`${retry}${encodeEvent(event, data, id)}`);
  }

  write(text: string): void {
    const socket = this.#socket;
    if (!socket.writable) return;
    // What is sent in one go leaves in one piece.
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(uncork, socket);
    }
    socket.write(this.#isChunked ? chunkOf(text) : text);
    if (socket.writableLength > this.#all.limits.maxUnsentBytes) socket.destroy();
  }

  end(): void {
    const socket = this.#socket;
    if (!socket.writable) return;
    if (this.#isChunked) socket.write(LAST_CHUNK);
    socket.destroySoon();
    this.#all.open.delete(socket);
    this.#all.ending.set(socket, performance.now());
  }

  onClose(listener: () => void): void {
    this.#socket.on("close", listener);
  }
}

const GONE: EventStream = { send: () => {}, end: () => {}, onClose: (listener) => queueMicrotask(listener) };

const uncork = (socket: Socket): void => socket.uncork();

/** RFC 9112, section 7.1. */
const chunkOf = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const LAST_CHUNK = "0\r\n\r\n";

/** An event needs a data line even when it has no data: without one, EventSource drops it. */
export function encodeEvent(event: string | undefined, data: string, id?: string): string {
  if (/[\r\n]/.test(`${event ?? ""}${id ?? ""}`)) throw new RangeError("An event's name and id are one line each.");
  const lines = data.split(/\r\n|\r|\n/).map((line) => (line === "" ? "data:" : `data: ${line}`));
  const head = `${event === undefined ? "" : `event: ${event}\n`}${id === undefined ? "" : `id: ${id}\n`}`;
  return `${head}${lines.join("\n")}\n\n`;
}
