import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { hasBody } from "./bodies.ts";

const UNANSWERED = Symbol("unanswered");
const WAITING = Symbol("waiting");
type Counted = Socket & { parser?: { onIncoming: unknown } | null; [UNANSWERED]?: number; [WAITING]?: (() => void)[] };

export type AnswerRequest = (request: IncomingMessage, response: ServerResponse) => void;

export type Turns = {
  /** Answers one request of a connection after the other. A pipelined request waits until the answer before it is sent. */
  take(answer: AnswerRequest): AnswerRequest;
  /** Resolves when no request, or none that counts, is being answered, or when the time is up. */
  none(withinMs: number, counts?: (request: IncomingMessage) => boolean): Promise<void>;
};

/** Requests of browsers and proxies have about thirty. */
const MAX_HEADERS_OF_WAITING = 100;

/** A body and very many headers take far more memory than their bytes, for as long as the answer before them takes. */
const mayWait = (request: IncomingMessage): boolean =>
  request.rawHeaders.length <= 2 * MAX_HEADERS_OF_WAITING && !hasBody(request);

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
  /** With their connections, because a request whose body ends in a failed `pipeline` loses its own. */
  const inFlight = new Map<ServerResponse, Counted>();
  let onAnswered = () => {};

  function onClose(this: ServerResponse): void {
    const socket = inFlight.get(this);
    if (!socket) return;
    inFlight.delete(this);
    socket[UNANSWERED] = (socket[UNANSWERED] ?? 1) - 1;
    if (!socket.destroyed) socket[WAITING]?.shift()?.();
    onAnswered();
  }

  return {
    take(answer) {
      function start(socket: Counted, request: IncomingMessage, response: ServerResponse): void {
        inFlight.set(response, socket);
        response.on("close", onClose);
        answer(request, response);
      }
      return (request, response) => {
        const socket: Counted = request.socket;
        if (socket.destroyed) return;
        const unanswered = (socket[UNANSWERED] ?? 0) + 1;
        socket[UNANSWERED] = unanswered;
        if (unanswered === 1) start(socket, request, response);
        else if (unanswered > maxUnanswered || !mayWait(request)) cutOff(socket);
        else {
          socket[WAITING] ??= [];
          socket[WAITING].push(() => start(socket, request, response));
        }
      };
    },
    none(withinMs, counts = () => true) {
      const isDone = () => !inFlight.keys().some(({ req }) => counts(req));
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
