import type { Socket } from "node:net";
import type { Addresses, AddressTally } from "./addresses.ts";
import type { Circles, Seated } from "./circles.ts";
import { CLOSE } from "./close-codes.ts";
import type { Connection, SocketHandlers } from "./connection.ts";
import type { Deadlines } from "./deadlines.ts";
import { closeFrame, PING_FRAME, pongFrame, textFrame } from "./encode.ts";
import type { FrameReader, FrameSink, Refusal } from "./frames.ts";
import type { SocketLimits } from "./limits.ts";
import type { SocketEars } from "./listen.ts";
import type { FrameReaders } from "./readers.ts";

/** What all peers of a server share, so that a connection costs one object. */
export type Company<Data> = {
  readonly handlers: SocketHandlers<Data>;
  readonly limits: SocketLimits;
  readonly addresses: Addresses;
  readonly circles: Circles<Peer<Data>>;
  readonly farewells: Deadlines<Peer<Data>>;
  readonly readers: FrameReaders;
  /** Somebody has left. */
  onLeft(): void;
};

/** Frames go both ways. */
const OPEN = 0;
/** Our goodbye is sent and the peer's awaited. */
const CLOSING = 1;
/** Only the end of the connection is awaited. */
const DONE = 2;

/** A peer that leaves this much unread hears from us anyway, and gets no pong on top. */
const MAX_UNSENT_BEFORE_PONG_BYTES = 1024;

/** One accepted connection. */
export class Peer<Data> implements Connection<Data>, FrameSink, Seated, SocketEars {
  readonly data: Data;
  circle = 0;
  seat = 0;
  readonly #company: Company<Data>;
  readonly #socket: Socket;
  readonly #tally: AddressTally;
  #state = OPEN;
  #missedPings = 0;
  /** Only while a message is under way. */
  #reader: FrameReader | undefined;
  #pong: Buffer | undefined;

  constructor(company: Company<Data>, socket: Socket, address: string, data: Data) {
    this.data = data;
    this.#company = company;
    this.#socket = socket;
    this.#tally = company.addresses.enter(address);
    company.circles.join(this);
  }

  get address(): string {
    return this.#tally.address;
  }

  send(text: string): boolean {
    return this.#state === OPEN && this.#write(textFrame(text));
  }

  close(code: number, reason: string): void {
    if (this.#state !== OPEN) return;
    this.#write(closeFrame(code, reason));
    if (this.#state === OPEN) this.#state = CLOSING;
    this.#company.farewells.add(this);
  }

  /** Ends the connection without a word. */
  cut(): void {
    this.#state = DONE;
    this.#socket.destroy();
  }

  /** A ping, or the end of a peer that answered none of the last ones. */
  heartbeat(): void {
    if (this.#state !== OPEN) return;
    if (this.#missedPings >= this.#company.limits.missedPings) this.cut();
    else {
      this.#missedPings += 1;
      this.#write(PING_FRAME);
    }
  }

  sweep(nowMs: number): void {
    if (this.#state !== OPEN) return;
    try {
      this.#company.handlers.onSweep?.(this, nowMs);
    } catch (fault) {
      this.#onFault(fault);
    }
  }

  receive(chunk: Buffer): void {
    if (this.#state === DONE) return;
    const { readers } = this.#company;
    const reader = this.#reader ?? readers.take();
    reader.read(chunk, this);
    if (reader.isAtRest) readers.giveBack(reader);
    this.#reader = reader.isAtRest || this.isDone ? undefined : reader;
    if (this.#pong !== undefined) this.#answerPing(this.#pong);
  }

  gone(): void {
    this.#state = DONE;
    this.#reader = undefined;
    const { addresses, circles, farewells, handlers, onLeft } = this.#company;
    addresses.leave(this.#tally);
    circles.leave(this);
    farewells.remove(this);
    try {
      handlers.onClose(this);
    } catch (fault) {
      handlers.onFault(fault);
    }
    onLeft();
  }

  get isDone(): boolean {
    return this.#state === DONE;
  }

  onText(text: string): void {
    this.#missedPings = 0;
    if (this.#state !== OPEN) return;
    try {
      this.#company.handlers.onMessage(this, text);
    } catch (fault) {
      this.#onFault(fault);
    }
  }

  onRefused(why: Refusal): void {
    this.#missedPings = 0;
    if (this.#state !== OPEN) return;
    const { handlers } = this.#company;
    try {
      if (handlers.onRefused) handlers.onRefused(this, why);
      else this.close(CLOSE.textOnly, "text frames only");
    } catch (fault) {
      this.#onFault(fault);
    }
  }

  /** RFC 6455, section 5.5.3: of pings that arrive together, the last may be answered for all. */
  onPing(payload: Buffer): void {
    this.#missedPings = 0;
    this.#pong = pongFrame(payload);
  }

  onPong(): void {
    this.#missedPings = 0;
  }

  onCloseFrame(code: number): void {
    if (this.#state === OPEN) this.#write(closeFrame(code));
    // Both have said goodbye. What is written is on its way, so that closing loses nothing.
    if (this.#socket.writableLength === 0) this.cut();
    else this.#linger();
  }

  onViolation(code: number): void {
    if (this.#state === OPEN) this.#write(closeFrame(code));
    this.#linger();
  }

  /** To close while the peer still sends would reset the connection, and lose our last words: it may end first. */
  #linger(): void {
    this.#state = DONE;
    this.#socket.end();
    this.#company.farewells.add(this);
  }

  #answerPing(pong: Buffer): void {
    this.#pong = undefined;
    if (this.#state !== OPEN || this.#socket.writableLength > MAX_UNSENT_BEFORE_PONG_BYTES) return;
    this.#write(pong);
  }

  #onFault(fault: unknown): void {
    this.#company.handlers.onFault(fault);
    this.close(CLOSE.ourFault, "internal error");
  }

  /** False when the peer is gone, or is cut off for not reading. */
  #write(frame: string | Buffer): boolean {
    const socket = this.#socket;
    if (!socket.writable) return false;
    socket.write(frame, "latin1");
    if (socket.writableLength > this.#company.limits.maxUnsentBytes) this.cut();
    return socket.writable;
  }
}
