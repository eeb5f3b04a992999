import { CLOSE, createFrameReader, type Frame, FrameFault, OPCODE } from "./frames.ts";

export type Message = { type: "text"; text: string } | { type: "ping"; payload: Buffer } | { type: "close" };

/** Puts messages together from frames. Binary messages and pongs mean nothing to us and are left out. */
export function createMessageReader(maxMessageBytes: number): (chunk: Buffer) => Generator<Message> {
  const readFrames = createFrameReader(maxMessageBytes);
  let opcode: number | undefined;
  let parts: Buffer[] = [];
  let size = 0;

  /** The message that this frame completes. */
  function assemble(frame: Frame): { opcode: number; payload: Buffer } | undefined {
    if ((frame.opcode === OPCODE.continuation) === (opcode === undefined)) {
      throw new FrameFault(CLOSE.protocolError, "a continuation without a beginning, or a beginning without an end");
    }
    const whole = opcode ?? frame.opcode;
    opcode = whole;
    size += frame.payload.length;
    if (size > maxMessageBytes) throw new FrameFault(CLOSE.tooLarge, "the message is too large");
    parts.push(frame.payload);
    if (!frame.isLast) return undefined;
    const payload = Buffer.concat(parts);
    opcode = undefined;
    parts = [];
    size = 0;
    return { opcode: whole, payload };
  }

  return function* readMessages(chunk) {
    for (const frame of readFrames(chunk)) {
      if (frame.opcode === OPCODE.ping) yield { type: "ping", payload: frame.payload };
      else if (frame.opcode === OPCODE.close) yield { type: "close" };
      else if (frame.opcode !== OPCODE.pong) {
        const message = assemble(frame);
        if (message?.opcode === OPCODE.text) yield { type: "text", text: decode(message.payload) };
      }
    }
  };
}

function decode(payload: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(payload);
  } catch {
    throw new FrameFault(CLOSE.notUtf8, "a text message is not UTF-8");
  }
}
