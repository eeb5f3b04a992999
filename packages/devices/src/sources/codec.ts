/** Of what is read and not complete yet; also the longest message. */
export const MAX_WAITING_BYTES = 65_536;

/** The messages of a protocol as bytes. Pure: it knows no clock and no socket. */
export type Codec<Message> = {
  write(message: Message): Uint8Array;
  /** For one stream of bytes. Datagrams are a stream, too. */
  createReader(): StreamReader<Message>;
};

export type StreamReader<Message> = {
  /** What is complete with these bytes. Never throws; what is not a message is left out and counted. */
  take(bytes: Uint8Array): Message[];
  /** How many messages could not be read. */
  readonly refused: number;
  /** Bytes that wait for the rest of their message: at most `MAX_WAITING_BYTES`. */
  readonly waiting: number;
};

/** Frames that follow one another. `length`: how many bytes to take away; `message` undefined: they are not a message. */
export type Frame<Message> = { length: number; message?: Message | undefined };

/**
 * Cuts a stream into frames. `find` looks at the beginning of what waits: undefined means that the rest has not come yet.
 * A message that would be too long is given up, and reading goes on behind it.
 */
export function createFrameReader<Message>(
  find: (waiting: Buffer) => Frame<Message> | undefined,
): StreamReader<Message> {
  let waiting: Buffer = Buffer.alloc(0);
  let refused = 0;
  return {
    take(bytes) {
      const messages: Message[] = [];
      let rest = waiting.length === 0 ? Buffer.from(bytes) : Buffer.concat([waiting, bytes]);
      while (rest.length > 0) {
        const frame = find(rest) ?? (rest.length > MAX_WAITING_BYTES ? { length: rest.length } : undefined);
        if (!frame) break;
        rest = rest.subarray(Math.max(1, frame.length));
        if (frame.message === undefined) refused += 1;
        else messages.push(frame.message);
      }
      // A copy: a few bytes must not keep a large piece in memory.
      waiting = Buffer.from(rest);
      return messages;
    },
    get refused() {
      return refused;
    },
    get waiting() {
      return waiting.length;
    },
  };
}

/** Not a frame: reading goes on at the next byte that could begin one. */
export function skipTo(waiting: Buffer, isStart: (byte: number) => boolean): { length: number } {
  const next = waiting.subarray(1).findIndex(isStart);
  return { length: next === -1 ? waiting.length : next + 1 };
}

/** How numbers lie in a frame, one after the other; the highest byte is first unless it says `le`. `scale`: what the number is multiplied by on the wire. */
export type Layout<Name extends string> = readonly (readonly [name: Name, kind: NumberKind, scale?: number])[];
type NumberKind = keyof typeof NUMBERS;

const NUMBERS = {
  u8: { bytes: 1, read: "readUInt8", write: "writeUInt8" },
  u16: { bytes: 2, read: "readUInt16BE", write: "writeUInt16BE" },
  u16le: { bytes: 2, read: "readUInt16LE", write: "writeUInt16LE" },
  i16: { bytes: 2, read: "readInt16BE", write: "writeInt16BE" },
  i16le: { bytes: 2, read: "readInt16LE", write: "writeInt16LE" },
  u32le: { bytes: 4, read: "readUInt32LE", write: "writeUInt32LE" },
  i32: { bytes: 4, read: "readInt32BE", write: "writeInt32BE" },
  i32le: { bytes: 4, read: "readInt32LE", write: "writeInt32LE" },
} as const;

export const bytesOf = (layout: Layout<string>): number =>
  layout.reduce((sum, [, kind]) => sum + NUMBERS[kind].bytes, 0);

/** Undefined: there are fewer bytes than that. What comes behind them is not looked at. */
export function readLayout<Name extends string>(layout: Layout<Name>, bytes: Buffer): Record<Name, number> | undefined {
  if (bytes.length < bytesOf(layout)) return undefined;
  let at = 0;
  const entries = layout.map(([name, kind, scale = 1]) => {
    const value = bytes[NUMBERS[kind].read](at) / scale;
    at += NUMBERS[kind].bytes;
    return [name, value] as const;
  });
  return Object.fromEntries(entries) as Record<Name, number>;
}

/** What does not fit is the nearest number that does. */
export function writeLayout<Name extends string>(layout: Layout<Name>, values: Record<Name, number>): Buffer {
  const bytes = Buffer.alloc(bytesOf(layout));
  let at = 0;
  for (const [name, kind, scale = 1] of layout) {
    const span = 2 ** (8 * NUMBERS[kind].bytes);
    const least = kind.startsWith("u") ? 0 : -span / 2;
    const value = Math.max(least, Math.min(least + span - 1, Math.round(values[name] * scale)));
    bytes[NUMBERS[kind].write](value, at);
    at += NUMBERS[kind].bytes;
  }
  return bytes;
}

const NUMBER = /^[+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,3})?$/;

/** A decimal number of a text protocol; undefined: it is something else, or too large. */
export function readNumber(text: string | undefined): number | undefined {
  const number = text !== undefined && NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

const NEW_LINE = 0x0a;

/** Lines of text, ended by LF or CR LF. `read`: undefined for a line that is not a message; empty lines are nothing. */
export function createLineReader<Message>(read: (line: string) => Message | undefined): StreamReader<Message> {
  /** How much of what waits has no end of a line: it is not searched again. */
  let searched = 0;
  const frames = createFrameReader<{ line: Message | undefined }>((waiting) => {
    const end = waiting.indexOf(NEW_LINE, searched);
    searched = end === -1 ? waiting.length : 0;
    if (waiting.length > MAX_WAITING_BYTES && end === -1) searched = 0;
    if (end === -1) return undefined;
    const line = waiting.toString("utf8", 0, end).replace(/\r$/, "");
    if (line === "") return { length: end + 1, message: { line: undefined } };
    const message = end > MAX_WAITING_BYTES ? undefined : read(line);
    return { length: end + 1, message: message === undefined ? undefined : { line: message } };
  });
  return {
    take: (bytes) => frames.take(bytes).flatMap(({ line }) => (line === undefined ? [] : [line])),
    get refused() {
      return frames.refused;
    },
    get waiting() {
      return frames.waiting;
    },
  };
}
