import { createInbox } from "../inbox.ts";

const MAX_HEAD_BYTES = 16_384;
const MAX_BODY_BYTES = 65_536;
const MAX_HEADERS = 64;
const DOLLAR = 0x24;
const END = "\r\n\r\n";

/** `headers`: names in small letters; one that comes several times has several values. */
export type RtspAnswer = { status: number; words: string; headers: Map<string, string[]>; body: string };

export type RtspEvents = {
  answer(answer: RtspAnswer): void;
  /** A camera may ask something itself, such as whether we are there. That needs no answer. */
  asked(): void;
  /** Media, on a channel of the same connection. The bytes are good until this returns. */
  media(channel: number, bytes: Buffer): void;
};

/** What a camera sends by RTSP 1.0 (RFC 2326), media between the answers included. Throws for what is none. */
export function createRtspReader(events: RtspEvents): (bytes: Buffer) => void {
  const inbox = createInbox(MAX_HEAD_BYTES + 2 * MAX_BODY_BYTES);
  function takeOne(view: Buffer): number | undefined {
    if (view[0] === DOLLAR) return takeMedia(view, events);
    // Some cameras end an answer with more line ends than its length says.
    const lineEnds = countLineEnds(view);
    return lineEnds > 0 ? lineEnds : takeText(view, events);
  }
  return (bytes) => {
    // A piece is larger than the inbox only when media of a busy camera has waited.
    for (let at = 0; at < bytes.length; at += MAX_BODY_BYTES) {
      inbox.add(bytes.subarray(at, at + MAX_BODY_BYTES));
      for (let view = inbox.view(); view.length > 0; view = inbox.view()) {
        const used = takeOne(view);
        if (used === undefined) break;
        inbox.drop(used);
      }
    }
  };
}

function countLineEnds(view: Buffer): number {
  let count = 0;
  while (view[count] === 0x0d || view[count] === 0x0a) count += 1;
  return count;
}

function takeMedia(view: Buffer, events: RtspEvents): number | undefined {
  if (view.length < 4) return undefined;
  const end = 4 + view.readUInt16BE(2);
  if (view.length < end) return undefined;
  events.media(view[1] as number, view.subarray(4, end));
  return end;
}

function takeText(view: Buffer, events: RtspEvents): number | undefined {
  const headEnd = view.subarray(0, MAX_HEAD_BYTES).indexOf(END);
  if (headEnd === -1) {
    if (view.length >= MAX_HEAD_BYTES) throw new Error("An answer of the camera has no end.");
    if (!couldBeRtsp(view)) throw new Error("This is no RTSP.");
    return undefined;
  }
  const [first = "", ...lines] = view.toString("latin1", 0, headEnd).split("\r\n");
  const headers = headersOf(lines);
  const length = Number(headers.get("content-length")?.[0] ?? "0");
  if (!Number.isInteger(length) || length < 0 || length > MAX_BODY_BYTES)
    throw new Error("An answer has a wrong length.");
  const end = headEnd + END.length + length;
  if (view.length < end) return undefined;
  const found = /^RTSP\/1\.\d (\d{3}) ?(.*)$/.exec(first);
  const body = view.toString("utf8", headEnd + END.length, end);
  if (found) events.answer({ status: Number(found[1]), words: found[2] ?? "", headers, body });
  else if (/^[A-Z_]+ \S+ RTSP\/1\.\d$/.test(first)) events.asked();
  else throw new Error("This is no RTSP.");
  return end;
}

/** Answers and requests both begin with capital letters. */
const couldBeRtsp = (view: Buffer): boolean => /^[A-Z_]+[ /]?/.test(view.toString("latin1", 0, 16));

function headersOf(lines: readonly string[]): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (const line of lines.slice(0, MAX_HEADERS)) {
    const colon = line.indexOf(":");
    if (colon < 1) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    // Some are sent back, each in one line.
    const value = line.slice(colon + 1).replaceAll(/[\r\n]/g, " ");
    headers.set(name, [...(headers.get(name) ?? []), value.trim()]);
  }
  return headers;
}
