import type { Socket } from "node:net";
import { CLOSE } from "./close-codes.ts";
import type { Connection, SocketHandlers, SocketLimits } from "./connection.ts";
import type { Deadlines } from "./deadlines.ts";
import { closeFrame, PING_FRAME, pongFrame, textFrame } from "./encode.ts";
import type { FrameReader, FrameReaders, FrameSink, Refusal } from "./frames.ts";
import type { Addresses, AddressTally, BucketPlace, Buckets } from "./open-connections.ts";

/** What all peers of a server share, so that a connection costs one object. */
export type Shared<Data> = {
  readonly handlers: SocketHandlers<Data>;
  readonly limits: SocketLimits;
  readonly addresses: Addresses;
  readonly buckets: Buckets<Peer<Data>>;
  readonly closeDeadlines: Deadlines<Peer<Data>>;
  readonly readers: FrameReaders;
  /** Called after a connection has closed. */
  onDisconnected(): void;
};

/** Frames go both ways. */
const OPEN = 0;
/** Our close frame is sent; the peer's has not come yet. */
const CLOSING = 1;
/** Nothing is read or sent any more; the socket is closing. */
const DONE = 2;

/** A peer that leaves this much unread gets no pong: it hears from us anyway. */
const MAX_UNSENT_BEFORE_PONG_BYTES = 1024;

/** One accepted connection. */
export class Peer<Data> implements Connection<Data>, FrameSink, BucketPlace, SocketListener {
  readonly data: Data;
  bucket = 0;
  index = 0;
  readonly #shared: Shared<Data>;
  readonly #socket: Socket;
  readonly #tally: AddressTally;
  #state = OPEN;
  #missedPings = 0;
  /** Set only while a message is arriving. */
  #reader: FrameReader | undefined;
  #pong: Buffer | undefined;

  constructor(shared: Shared<Data>, socket: Socket, address: string, data: Data) {
    this.data = data;
    this.#shared = shared;
    this.#socket = socket;
    this.#tally = shared.addresses.add(address);
    shared.buckets.add(this);
  }

  get address(): string {
    return this.#tally.address;
  }

  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  send(text: string): boolean {
    return this.#state === OPEN && this.#write(textFrame(text));
  }

  close(code: number, reason: string): void {
    if (this.#state !== OPEN) return;
    this.#write(closeFrame(code, reason));
    if (this.#state === OPEN) this.#state = CLOSING;
    this.#shared.closeDeadlines.add(this);
  }

  /** Closes the connection without a close frame. */
  cut(): void {
    this.#state = DONE;
    this.#socket.destroy();
  }

  /** Sends a ping, or cuts off a peer that answered none of the last ones. */
  heartbeat(): void {
    if (this.#state !== OPEN) return;
    if (this.#missedPings >= this.#shared.limits.missedPings) this.cut();
    else {
      this.#missedPings += 1;
      this.#write(PING_FRAME);
    }
  }

  sweep(nowMs: number): void {
    if (this.#state !== OPEN) return;
    try {
      this.#shared.handlers.onSweep?.(this, nowMs);
    } catch (fault) {
      this.#onFault(fault);
    }
  }

  receive(chunk: Buffer): void {
    if (this.#state === DONE) return;
    const { readers } = this.#shared;
    const reader = this.#reader ?? readers.take();
    reader.read(chunk, this);
    if (reader.isAtRest) readers.giveBack(reader);
    this.#reader = reader.isAtRest || this.isDone ? undefined : reader;
    if (this.#pong !== undefined) this.#answerPing(this.#pong);
  }

  gone(): void {
    this.#state = DONE;
    this.#reader = undefined;
    const { addresses, buckets, closeDeadlines, handlers, onDisconnected } = this.#shared;
    addresses.remove(this.#tally);
    buckets.remove(this);
    closeDeadlines.remove(this);
    try {
      handlers.onClose(this);
    } catch (fault) {
      handlers.onFault(fault);
    }
    onDisconnected();
  }

  get isDone(): boolean {
    return this.#state === DONE;
  }

  onText(text: string): void {
    this.#missedPings = 0;
    if (this.#state !== OPEN) return;
    try {
      this.#shared.handlers.onMessage(this, text);
    } catch (fault) {
      this.#onFault(fault);
    }
  }

  onRefused(why: Refusal): void {
    this.#missedPings = 0;
    if (this.#state !== OPEN) return;
    const { handlers } = this.#shared;
    try {
      if (handlers.onRefused) handlers.onRefused(this, why);
      else this.close(CLOSE.textOnly, "text frames only");
    } catch (fault) {
      this.#onFault(fault);
    }
  }

  /** RFC 6455, section 5.5.3: of several pings that arrive together, only the last needs an answer. */
  onPing(payload: Buffer): void {
    this.#missedPings = 0;
    this.#pong = pongFrame(payload);
  }

  onPong(): void {
    this.#missedPings = 0;
  }

  onCloseFrame(code: number): void {
    if (this.#state === OPEN) this.#write(closeFrame(code));
    // Both sides have sent their close frame. When everything is written, closing loses nothing.
    if (this.#socket.writableLength === 0) this.cut();
    else this.#linger();
  }

  onViolation(code: number): void {
    if (this.#state === OPEN) this.#write(closeFrame(code));
    this.#linger();
  }

  /** Closing while the peer still sends would reset the connection and lose our close frame, so the peer may end first. */
  #linger(): void {
    this.#state = DONE;
    this.#socket.end();
    this.#shared.closeDeadlines.add(this);
  }

  #answerPing(pong: Buffer): void {
    this.#pong = undefined;
    if (this.#state !== OPEN || this.#socket.writableLength > MAX_UNSENT_BEFORE_PONG_BYTES) return;
    this.#write(pong);
  }

  #onFault(fault: unknown): void {
    this.#shared.handlers.onFault(fault);
    this.close(CLOSE.ourFault, "internal error");
  }

  /** False when the peer is gone or was cut off because it does not read. */
  #write(frame: string | Buffer): boolean {
    const socket = this.#socket;
    if (!socket.writable) return false;
    socket.write(frame, "latin1");
    if (socket.writableLength > this.#shared.limits.maxUnsentBytes) this.cut();
    return socket.writable;
  }
}

/** Receives the events of a socket. */
export type SocketListener = {
  receive(chunk: Buffer): void;
  /** The socket is closed; the last call. */
  gone(): void;
};

const LISTENER = Symbol("listener");
type ListenedSocket = Socket & { [LISTENER]: SocketListener };

function onData(this: ListenedSocket, chunk: Buffer): void {
  this[LISTENER].receive(chunk);
}
function onClose(this: ListenedSocket): void {
  this[LISTENER].gone();
}
// The socket then closes by itself, which is handled; without this listener it would throw.
function onError(): void {}

/** Passes the events of a socket to its listener, by functions that all sockets share. */
export function listen(socket: Socket, listener: SocketListener): void {
  (socket as ListenedSocket)[LISTENER] = listener;
  // node:http keeps its sockets open for writing when the peer is done; a WebSocket is over then.
  socket.allowHalfOpen = false;
  socket.on("error", onError).on("close", onClose).on("data", onData);
}
