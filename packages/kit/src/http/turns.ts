import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { hasBody } from "./bodies.ts";

const CONNECTION = Symbol("connection");
type Connection = {
  readonly socket: Socket;
  unanswered: number;
  waiting: (() => void)[] | undefined;
  /** What is being answered, and how many bytes were written before. */
  current: Sent | undefined;
  writtenBefore: number;
};
type Counted = Socket & { parser?: { onIncoming: unknown } | null; [CONNECTION]?: Connection };

/** With its connection, because a request whose body ends in a failed `pipeline` loses its own. */
type Started = ServerResponse & { [CONNECTION]?: Connection };

/** Node's own fields: what it sent as the head of an answer, and the length that this announced. */
type Sent = ServerResponse & { _header?: string | null; _contentLength?: number | null };

export type AnswerRequest = (request: IncomingMessage, response: ServerResponse) => void;

export type Turns = {
  /**
   * Answers one request of a connection after the other. A pipelined request waits until the answer before it is sent.
   * `onClosed`: called after each answer, sent or not.
   */
  take(answer: AnswerRequest, onClosed?: (response: ServerResponse) => void): AnswerRequest;
  /** Resolves when no request, or none that counts, is being answered, or when the time is up. */
  none(withinMs: number, counts?: (request: IncomingMessage) => boolean): Promise<void>;
};

/** Requests of browsers and proxies have about thirty. */
const MAX_HEADERS_OF_WAITING = 100;

/** A body and very many headers take far more memory than their bytes, for as long as the answer before them takes. */
const mayWait = (request: IncomingMessage): boolean =>
  request.rawHeaders.length <= 2 * MAX_HEADERS_OF_WAITING && !hasBody(request);

/**
 * Whether the client has been sent all of the answer, though its source, such as a file, has not ended yet. A client may
 * then send its next request, with or without a body, and nothing waits for long.
 */
function isSentWhole({ socket, current, writtenBefore }: Connection): boolean {
  const { _header: head, _contentLength: length } = current ?? {};
  if (typeof head !== "string" || typeof length !== "number" || socket.writableLength > 0) return false;
  return socket.bytesWritten - writtenBefore >= Buffer.byteLength(head, "latin1") + length;
}

/** What node:http's parser takes for "read no further". */
const STOP = 2;

/** Node would still read the rest of what has arrived, which may be thousands of requests. */
function cutOff(socket: Counted): void {
  if (socket.parser) socket.parser.onIncoming = () => STOP;
  socket.destroy();
}

/** Whether an earlier request on this connection is not answered yet. */
export const isUnanswered = (socket: Counted): boolean => (socket[CONNECTION]?.unanswered ?? 0) > 0;

/**
 * Node starts to answer all pipelined requests at once and keeps the answers until their turn: a client that reads none
 * would make us hold them all. Here at most `maxUnanswered` small requests wait, and none of them is worked on.
 */
export function createTurns(maxUnanswered: number): Turns {
  // Of connections, not of requests: most connections have many of those.
  const connections = new Set<Connection>();
  let onAnswered = () => {};

  function connectionOf(socket: Counted): Connection {
    const known = socket[CONNECTION];
    if (known) return known;
    const connection: Connection = { socket, unanswered: 0, waiting: undefined, current: undefined, writtenBefore: 0 };
    socket[CONNECTION] = connection;
    connections.add(connection);
    socket.on("close", forget);
    return connection;
  }
  function forget(this: Counted): void {
    if (this[CONNECTION]) connections.delete(this[CONNECTION]);
  }

  return {
    take(answer, onClosed = () => {}) {
      function onClose(this: Started): void {
        const connection = this[CONNECTION];
        if (connection?.current !== this) return;
        connection.current = undefined;
        onClosed(this);
        connection.unanswered -= 1;
        if (!connection.socket.destroyed) connection.waiting?.shift()?.();
        onAnswered();
      }
      function start(connection: Connection, request: IncomingMessage, response: Started): void {
        response[CONNECTION] = connection;
        connection.current = response;
        connection.writtenBefore = connection.socket.bytesWritten;
        response.on("close", onClose);
        answer(request, response);
      }
      return (request, response) => {
        const { socket } = request;
        if (socket.destroyed) return;
        const connection = connectionOf(socket);
        connection.unanswered += 1;
        const { unanswered } = connection;
        if (unanswered === 1) start(connection, request, response);
        else if (unanswered > maxUnanswered || !(mayWait(request) || (unanswered === 2 && isSentWhole(connection)))) {
          cutOff(socket);
        } else {
          connection.waiting ??= [];
          connection.waiting.push(() => start(connection, request, response));
        }
      };
    },
    none(withinMs, counts = () => true) {
      const isDone = () => !connections.values().some(({ current }) => current && counts(current.req));
      if (isDone()) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      onAnswered = () => {
        if (isDone()) resolve();
      };
      const timer = setTimeout(resolve, withinMs);
      return promise.finally(() => clearTimeout(timer));
    },
  };
}
