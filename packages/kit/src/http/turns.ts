import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { hasBody } from "./bodies.ts";
import { sentTo } from "./unsent-bytes.ts";

const UNANSWERED = Symbol("unanswered");
const WAITING = Symbol("waiting");
const CONNECTION = Symbol("connection");
const CURRENT = Symbol("current");
const SENT_BEFORE = Symbol("sent before");
type Counted = Socket & {
  parser?: { onIncoming: unknown } | null;
  [UNANSWERED]?: number;
  [WAITING]?: (() => void)[];
  /** What is being answered, and how many bytes were sent before. */
  [CURRENT]?: Sent;
  [SENT_BEFORE]?: number;
};

/** With its connection, because a request whose body ends in a failed `pipeline` loses its own. */
type Started = ServerResponse & { [CONNECTION]?: Counted };

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
function isSentWhole(socket: Counted): boolean {
  const { _header: head, _contentLength: length } = socket[CURRENT] ?? {};
  if (typeof head !== "string" || typeof length !== "number" || socket.writableLength > 0) return false;
  return sentTo(socket) - (socket[SENT_BEFORE] ?? 0) >= Buffer.byteLength(head, "latin1") + length;
}

/** What node:http's parser takes for "read no further". */
const STOP = 2;

/** Node would still read the rest of what has arrived, which may be thousands of requests. */
function cutOff(socket: Counted): void {
  if (socket.parser) socket.parser.onIncoming = () => STOP;
  socket.destroy();
}

/** Whether an earlier request on this connection is not answered yet. */
export const isUnanswered = (socket: Counted): boolean => (socket[UNANSWERED] ?? 0) > 0;

/**
 * Node starts to answer all pipelined requests at once and keeps the answers until their turn: a client that reads none
 * would make us hold them all. Here at most `maxUnanswered` small requests wait, and none of them is worked on.
 */
export function createTurns(maxUnanswered: number): Turns {
  const inFlight = new Set<ServerResponse>();
  let onAnswered = () => {};

  return {
    take(answer, onClosed = () => {}) {
      function onClose(this: Started): void {
        const socket = this[CONNECTION];
        if (!socket || !inFlight.delete(this)) return;
        onClosed(this);
        socket[UNANSWERED] = (socket[UNANSWERED] ?? 1) - 1;
        if (!socket.destroyed) socket[WAITING]?.shift()?.();
        onAnswered();
      }
      function start(socket: Counted, request: IncomingMessage, response: Started): void {
        inFlight.add(response);
        response[CONNECTION] = socket;
        socket[CURRENT] = response;
        socket[SENT_BEFORE] = sentTo(socket);
        response.on("close", onClose);
        answer(request, response);
      }
      return (request, response) => {
        const socket: Counted = request.socket;
        if (socket.destroyed) return;
        const unanswered = (socket[UNANSWERED] ?? 0) + 1;
        socket[UNANSWERED] = unanswered;
        const mayStay = () => mayWait(request) || (unanswered === 2 && isSentWhole(socket));
        if (unanswered === 1) start(socket, request, response);
        else if (unanswered > maxUnanswered || !mayStay()) cutOff(socket);
        else {
          socket[WAITING] ??= [];
          socket[WAITING].push(() => start(socket, request, response));
        }
      };
    },
    none(withinMs, counts = () => true) {
      const isDone = () => !inFlight.values().some(({ req }) => counts(req));
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
