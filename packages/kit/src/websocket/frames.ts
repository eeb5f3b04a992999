import { isUtf8 } from "node:buffer";
import { CLOSE, isCloseCode } from "./close-codes.ts";
import { PayloadParts, rotateMask, unmask } from "./payload.ts";

/** Why a message was skipped. */
export type Refusal = "too-large" | "binary";

/** Receives what a peer's bytes mean. None of its methods throws. */
export type FrameSink = {
  /** Nothing more is read from this peer: the rest of the bytes is dropped. */
  readonly isDone: boolean;
  onText(text: string): void;
  onRefused(why: Refusal): void;
  /** The payload belongs to the reader and is valid only during the call. */
  onPing(payload: Buffer): void;
  onPong(): void;
  /** The peer's close frame; 1005 when it has no code. Nothing is read after it. */
  onCloseFrame(code: number): void;
  /** The peer broke the protocol; the code says how. Nothing is read after it. */
  onViolation(code: number): void;
};

export type FrameLimits = {
  maxPayloadBytes: number;
  /** A message that is longer than this is a violation; one between the two limits is skipped and refused. */
  maxSkippedBytes: number;
};

const IS_LAST = 0x80;
const RESERVED = 0x70;
const OPCODE = 0x0f;
const IS_MASKED = 0x80;

const CONTINUATION = 0x0;
const TEXT = 0x1;
const BINARY = 0x2;
const CLOSE_FRAME = 0x8;
const PING = 0x9;
const PONG = 0xa;

const MAX_CONTROL_BYTES = 125;
const LENGTH_IN_2_BYTES = 126;
const MASK_BYTES = 4;
const NOTHING = Buffer.alloc(0);

/** What the next byte is. */
const AT_FIRST = 0;
const AT_LENGTH = 1;
const AT_LONG_LENGTH = 2;
const AT_MASK = 3;
const AT_PAYLOAD = 4;
const AT_END = 5;

/**
 * Reads what a client sends (RFC 6455, section 5), in whatever pieces it arrives. A message within one piece is decoded
 * in place. Otherwise the payload so far is kept, never more than the limit, and nothing of a refused message.
 * Pieces are unmasked in place, so the reader writes into what it is given.
 */
export class FrameReader {
  readonly #limits: FrameLimits;
  #at = AT_FIRST;
  #first = 0;
  #opcode = 0;
  #headerBytesLeft = 0;
  #payloadBytesLeft = 0;
  /** Rotated so that its highest byte belongs to the next byte of the payload. */
  #mask = 0;
  readonly #control = new PayloadParts(MAX_CONTROL_BYTES);
  readonly #message: PayloadParts;
  /** TEXT or BINARY while a message is arriving, else 0. */
  #kind = 0;
  #messageBytes = 0;
  #refusal: Refusal | undefined;
  /** All bytes so far or-ed together: without the high bit the message is ASCII and its UTF-8 needs no check. */
  #seenBits = 0;

  constructor(limits: FrameLimits) {
    this.#limits = limits;
    this.#message = new PayloadParts(limits.maxPayloadBytes);
  }

  /** Between two messages. Nothing is kept then, so any reader can continue. */
  get isAtRest(): boolean {
    return this.#at === AT_FIRST && this.#kind === 0;
  }

  read(chunk: Buffer, sink: FrameSink): void {
    let i = 0;
    while (i < chunk.length && this.#at !== AT_END && !sink.isDone) {
      if (this.#at === AT_PAYLOAD) i = this.#readPayload(chunk, i, sink);
      else {
        this.#readHeader(chunk[i] as number, sink);
        i += 1;
      }
    }
  }

  #readHeader(byte: number, sink: FrameSink): void {
    switch (this.#at) {
      case AT_FIRST:
        this.#first = byte;
        this.#opcode = byte & OPCODE;
        this.#at = AT_LENGTH;
        break;
      case AT_LENGTH:
        this.#readLength(byte, sink);
        break;
      case AT_LONG_LENGTH:
        // 8 bytes may mean more than a number holds exactly, but nothing that long is read.
        this.#payloadBytesLeft = this.#payloadBytesLeft * 256 + byte;
        this.#headerBytesLeft -= 1;
        if (this.#headerBytesLeft === 0) this.#expectMask(sink);
        break;
      default:
        this.#mask = (this.#mask << 8) | byte;
        this.#headerBytesLeft -= 1;
        if (this.#headerBytesLeft === 0) {
          this.#at = AT_PAYLOAD;
          if (this.#payloadBytesLeft === 0) this.#readPayload(NOTHING, 0, sink);
        }
    }
  }

  #readLength(byte: number, sink: FrameSink): void {
    const length = byte & ~IS_MASKED;
    if (byte < IS_MASKED || (this.#first & RESERVED) !== 0 || !this.#isAllowed(length)) {
      this.#fail(CLOSE.protocolError, sink);
      return;
    }
    if (this.#opcode === TEXT || this.#opcode === BINARY) {
      this.#kind = this.#opcode;
      this.#refusal = this.#opcode === BINARY ? "binary" : undefined;
    }
    if (length < LENGTH_IN_2_BYTES) {
      this.#payloadBytesLeft = length;
      this.#expectMask(sink);
      return;
    }
    this.#payloadBytesLeft = 0;
    this.#headerBytesLeft = length === LENGTH_IN_2_BYTES ? 2 : 8;
    this.#at = AT_LONG_LENGTH;
  }

  /** Whether the opcode may come now, and with this length. */
  #isAllowed(length: number): boolean {
    switch (this.#opcode) {
      case TEXT:
      case BINARY:
        return this.#kind === 0;
      case CONTINUATION:
        return this.#kind !== 0;
      case CLOSE_FRAME:
        // The payload begins with a code of two bytes.
        return this.#isLast && length <= MAX_CONTROL_BYTES && length !== 1;
      case PING:
      case PONG:
        return this.#isLast && length <= MAX_CONTROL_BYTES;
      default:
        return false;
    }
  }

  get #isLast(): boolean {
    return this.#first >= IS_LAST;
  }

  get #isControl(): boolean {
    return this.#opcode >= CLOSE_FRAME;
  }

  #expectMask(sink: FrameSink): void {
    this.#headerBytesLeft = MASK_BYTES;
    this.#mask = 0;
    this.#at = AT_MASK;
    if (this.#isControl) return;
    this.#messageBytes += this.#payloadBytesLeft;
    if (this.#messageBytes <= this.#limits.maxPayloadBytes) return;
    this.#refusal ??= "too-large";
    this.#message.drop();
    if (this.#messageBytes > this.#limits.maxSkippedBytes) this.#fail(CLOSE.tooLarge, sink);
  }

  /** Returns where the next frame begins, or the end of the chunk. */
  #readPayload(chunk: Buffer, from: number, sink: FrameSink): number {
    const to = Math.min(chunk.length, from + this.#payloadBytesLeft);
    this.#payloadBytesLeft -= to - from;
    const isComplete = this.#payloadBytesLeft === 0;
    if (isComplete) this.#at = AT_FIRST;
    const isWhole = isComplete && this.#isLast;
    if (this.#refusal !== undefined && !this.#isControl) {
      if (isWhole) this.#endMessage(NOTHING, sink);
      return to;
    }
    this.#seenBits |= unmask(chunk, from, to, this.#mask);
    this.#mask = rotateMask(this.#mask, to - from);
    const parts = this.#isControl ? this.#control : this.#message;
    if (isWhole && parts.length === 0) this.#end(chunk.subarray(from, to), sink);
    else {
      parts.add(chunk, from, to);
      if (isWhole) this.#end(parts.take(), sink);
    }
    return to;
  }

  #end(payload: Buffer, sink: FrameSink): void {
    switch (this.#opcode) {
      case PING:
        sink.onPing(payload);
        break;
      case PONG:
        sink.onPong();
        break;
      case CLOSE_FRAME:
        this.#endAll(payload, sink);
        break;
      default:
        this.#endMessage(payload, sink);
    }
  }

  #endMessage(payload: Buffer, sink: FrameSink): void {
    const refusal = this.#refusal;
    const isAscii = this.#seenBits < 0x80;
    this.#kind = 0;
    this.#messageBytes = 0;
    this.#refusal = undefined;
    this.#seenBits = 0;
    if (refusal !== undefined) sink.onRefused(refusal);
    else if (isAscii) sink.onText(payload.toString("latin1"));
    else if (isUtf8(payload)) sink.onText(payload.toString("utf8"));
    else this.#fail(CLOSE.invalidText, sink);
  }

  #endAll(payload: Buffer, sink: FrameSink): void {
    const code = payload.length === 0 ? CLOSE.noneGiven : payload.readUInt16BE(0);
    if (payload.length > 0 && !isCloseCode(code)) this.#fail(CLOSE.protocolError, sink);
    else if (!isUtf8(payload.subarray(2))) this.#fail(CLOSE.invalidText, sink);
    else {
      this.#at = AT_END;
      sink.onCloseFrame(code);
    }
  }

  #fail(code: number, sink: FrameSink): void {
    this.#at = AT_END;
    this.#message.drop();
    sink.onViolation(code);
  }
}

/** A connection has a reader only while a message is arriving: a silent connection has none. */
export class FrameReaders {
  readonly #limits: FrameLimits;
  #spare: FrameReader | undefined;

  constructor(limits: FrameLimits) {
    this.#limits = limits;
  }

  take(): FrameReader {
    const reader = this.#spare ?? new FrameReader(this.#limits);
    this.#spare = undefined;
    return reader;
  }

  /** The reader must be at rest. */
  giveBack(reader: FrameReader): void {
    this.#spare = reader;
  }
}
