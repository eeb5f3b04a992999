import { open, rm } from "node:fs/promises";
import { IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { errorCodes } from "fastify";
import { Problem } from "../problems.ts";
import { endWithProblem } from "./errors.ts";
import type { HttpLimits } from "./limits.ts";

/** How long a body may take: at most `idleMs` without a byte, and `withinMs` in total. */
export type BodyPace = { idleMs: number; withinMs: number };

const PACE = Symbol("pace");
type Paced = IncomingMessage & { [PACE]?: BodyPace };

/** For a route with large bodies: a slow connection is allowed, a silent one is cut off. */
export function allowSlowBody(request: IncomingMessage, pace: BodyPace): void {
  (request as Paced)[PACE] = pace;
}

export const hasSlowBody = (request: IncomingMessage): boolean => (request as Paced)[PACE] !== undefined;

/** A buffer takes some hundred bytes of memory besides its own. */
const TINY_BYTES = 256;
/** Most bodies have fewer pieces. */
const FREE_PIECES = 16;
const TOGETHER = 256;
/** Of the error when a body ends too early, as Fastify has it. */
const CUT_OFF_STATUS = 400;

const PIECES = Symbol("pieces");
const TINY = Symbol("tiny");
const WHOLE = Symbol("whole");

/** Hears of a body once: all its bytes, or why there are not. */
type BodyReader = (error: Error | null, body: Buffer) => void;
/** A body that is collected as it arrives. */
type Whole = Collected & { bytes: number; readonly maxBytes: number; readonly done: BodyReader };
/** `tiny`: how many of the last pieces are. */
type Collected = { pieces: Buffer[]; tiny: number };

/** Node makes a buffer of every chunk of a body. Those of very many tiny ones would take many times their bytes, so they are put together. */
export class GatheringRequest extends IncomingMessage {
  // Set only for a request with a body: most have none.
  declare [PIECES]?: number;
  declare [TINY]?: Buffer[] | undefined;
  declare [WHOLE]?: Whole | undefined;

  override push(piece: Buffer | null): boolean {
    if (piece !== null) {
      const pieces = (this[PIECES] ?? 0) + 1;
      this[PIECES] = pieces;
      if (piece.length < TINY_BYTES && pieces > FREE_PIECES) return gather(this, piece);
    }
    pushTiny(this);
    return handOn(this, piece);
  }
}

/** To whoever collects the whole body, past the stream; or to the stream. */
function handOn(request: GatheringRequest, piece: Buffer | null): boolean {
  const whole = request[WHOLE];
  if (!whole) return IncomingMessage.prototype.push.call(request, piece);
  if (piece === null) {
    request[WHOLE] = undefined;
    // The stream ends too: whoever waits for its end, such as Node after the answer, must not wait for ever.
    IncomingMessage.prototype.push.call(request, null);
    whole.done(null, joined(whole));
    return false;
  }
  whole.bytes += piece.length;
  if (whole.bytes <= whole.maxBytes) collect(whole, piece);
  else {
    request[WHOLE] = undefined;
    // The rest is read and dropped.
    request.resume();
    whole.done(tooLarge(), NOTHING);
  }
  return true;
}

function gather(request: GatheringRequest, piece: Buffer): boolean {
  if (!request[TINY]) {
    request[TINY] = [];
    // No later than when all that has arrived is read.
    setImmediate(() => pushTiny(request));
  }
  if (request[TINY].push(piece) >= TOGETHER) return pushTiny(request);
  // What was put together later told nobody that the reader is behind.
  return request.readableLength < request.readableHighWaterMark;
}

function pushTiny(request: GatheringRequest): boolean {
  const pieces = request[TINY];
  if (!pieces) return true;
  request[TINY] = undefined;
  return handOn(request, Buffer.concat(pieces));
}

const NOTHING = Buffer.alloc(0);
const tooLarge = (): Error => new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
/** A client that sends each byte alone, and waits in between, makes tiny pieces of which none arrives with another one. */
function collect(collected: Collected, piece: Buffer): void {
  const { pieces } = collected;
  pieces.push(piece);
  collected.tiny = piece.length < TINY_BYTES ? collected.tiny + 1 : 0;
  if (collected.tiny < TOGETHER) return;
  pieces.push(Buffer.concat(pieces.splice(-TOGETHER)));
  collected.tiny = 0;
}

const joined = ({ pieces }: Collected): Buffer => (pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces));

/**
 * Reads a body of at most `maxBytes`. Of a request of ours none of which has arrived yet it takes the pieces as the parser
 * finds them: a stream with its listeners would be a quarter of the cost of a short request.
 */
export function readWhole(body: Readable, maxBytes: number, done: BodyReader): void {
  const length = body instanceof IncomingMessage ? Number(body.headers["content-length"]) : 0;
  if (length > maxBytes) done(tooLarge(), NOTHING);
  else if (body instanceof GatheringRequest && body[PIECES] === undefined && !body.complete && !body.destroyed) {
    body[WHOLE] = { pieces: [], tiny: 0, bytes: 0, maxBytes, done };
    body.on("error", failWhole);
  } else readStream(body, maxBytes, done);
}

/** A client that went away. */
function failWhole(this: GatheringRequest, error: Error): void {
  const whole = this[WHOLE];
  this[WHOLE] = undefined;
  whole?.done(Object.assign(error, { statusCode: CUT_OFF_STATUS }), NOTHING);
}

function readStream(body: Readable, maxBytes: number, done: BodyReader): void {
  const collected: Collected = { pieces: [], tiny: 0 };
  let bytes = 0;
  function onData(piece: Buffer): void {
    bytes += piece.length;
    if (bytes <= maxBytes) collect(collected, piece);
    else settle(tooLarge());
  }
  function settle(error?: Error): void {
    body.off("data", onData).off("end", settle).off("error", onError);
    if (error) done(error, NOTHING);
    else done(null, joined(collected));
  }
  const onError = (error: Error): void => settle(Object.assign(error, { statusCode: CUT_OFF_STATUS }));
  body.on("data", onData).on("end", settle).on("error", onError).resume();
}

type Bounds = Pick<HttpLimits, "requestTimeoutMs" | "lingerMs" | "timeoutCheckMs">;
/** The last body of a connection. One record for all of them, since the next one cannot begin before the last has ended. */
type Arriving = {
  request: IncomingMessage;
  response: ServerResponse;
  sinceMs: number;
  /** What the connection had received when it was last looked at; undefined before the first look. */
  bytes: number | undefined;
  movedMs: number;
  answeredMs: number | undefined;
};

const BODY = Symbol("body");
type Receiving = Socket & { [BODY]?: Arriving };

/**
 * Cuts off clients that send a body too slowly. Node's own limit is the same for all routes of a server; here a route may
 * allow more time.
 */
export function boundBodies(limits: Bounds): {
  begin(request: IncomingMessage, response: ServerResponse): void;
  close(): void;
} {
  const receiving = new Set<Receiving>();
  function onClose(this: Socket): void {
    receiving.delete(this);
  }
  const timer = setInterval(() => {
    const nowMs = performance.now();
    for (const socket of receiving) {
      const body = socket[BODY];
      if (!body || body.request.complete || body.request.destroyed || !isLate(socket, body, limits, nowMs)) continue;
      receiving.delete(socket);
      if (body.response.headersSent) socket.destroy();
      else endWithProblem(socket, new Problem("request-timeout"));
    }
  }, limits.timeoutCheckMs).unref();
  return {
    begin(request, response) {
      if (!hasBody(request)) return;
      const socket: Receiving = request.socket;
      const sinceMs = performance.now();
      const body = socket[BODY];
      if (body) {
        body.request = request;
        body.response = response;
        body.sinceMs = body.movedMs = sinceMs;
        body.bytes = body.answeredMs = undefined;
      } else {
        socket[BODY] = { request, response, sinceMs, bytes: undefined, movedMs: sinceMs, answeredMs: undefined };
        receiving.add(socket);
        socket.on("close", onClose);
        closeAfterBody(socket);
      }
    },
    close: () => clearInterval(timer),
  };
}

/**
 * After an answer with "Connection: close", which proxies ask for, Node closes the connection even if the body is still
 * arriving. That resets it, and the client may miss the answer. Here the client sees the end of the answer, and the rest of
 * its body is read first, for as long as `lingerMs` allows.
 */
function closeAfterBody(socket: Receiving): void {
  const closeNow = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    const body = socket[BODY]?.request;
    if (!body || body.complete || socket.destroyed) return closeNow();
    body.once("end", closeNow).resume();
    socket.end();
  };
}

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

function isLate(socket: Socket, body: Arriving, limits: Bounds, nowMs: number): boolean {
  if (body.response.writableFinished) {
    body.answeredMs ??= nowMs;
    return nowMs - body.answeredMs > limits.lingerMs;
  }
  const { bytesRead } = socket;
  if (bytesRead !== body.bytes) {
    body.bytes = bytesRead;
    body.movedMs = nowMs;
  }
  const pace = (body.request as Paced)[PACE];
  const takenMs = nowMs - body.sinceMs;
  return pace ? nowMs - body.movedMs > pace.idleMs || takenMs > pace.withinMs : takenMs > limits.requestTimeoutMs;
}

/** Streams a body to a new file at `path`. Returns its size in bytes; when it does not arrive completely, the file is removed. */
export async function receiveFile(
  body: Readable,
  path: string,
  maxBytes: number,
  look: (piece: Buffer) => void = () => {},
): Promise<number | "too-large" | "cut-off"> {
  await using discarded = new AsyncDisposableStack();
  discarded.defer(() => rm(path, { force: true }));
  let bytes = 0;
  {
    await using handle = await open(path, "wx", 0o600);
    const pieces = body.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]();
    // Releases the body, so that the rest of it can be read and discarded after the answer.
    await using letGo = new AsyncDisposableStack();
    letGo.defer(async () => void (await pieces.return?.()));
    for (;;) {
      const piece = await nextOf(pieces);
      if (piece === "cut-off") return "cut-off";
      if (piece === undefined) break;
      bytes += piece.length;
      if (bytes > maxBytes) return "too-large";
      look(piece);
      await handle.writeFile(piece);
    }
  }
  discarded.move();
  return bytes;
}

/** Only an error while reading means "cut-off": an error while writing is our own fault. */
async function nextOf(pieces: AsyncIterator<Buffer>): Promise<Buffer | undefined | "cut-off"> {
  try {
    const { done, value } = await pieces.next();
    return done ? undefined : value;
  } catch {
    return "cut-off";
  }
}
