import { type Readable, Transform } from "node:stream";
import { createGunzip, createInflate } from "node:zlib";
import { SiteFault } from "./faults.ts";

/** Not Brotli: some bytes of a hostile site would take the 16 MB of its window, for each page that is being read. */
const UNPACK: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
]);
/** How far browsers look for the encoding that a page declares. */
const SNIFFED_BYTES = 1_024;

/** Streams that decode a Content-Encoding; undefined: it is not supported. */
export function unpackers(contentEncoding: string | undefined): Transform[] | undefined {
  const names = (contentEncoding ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
  const found = names.reverse().map((name) => UNPACK.get(name));
  // Only attackers compress twice.
  if (found.length > 1) return undefined;
  return found.every((make) => make !== undefined) ? found.map((make) => make()) : undefined;
}

/** A buffer takes some hundred bytes of memory besides its own. */
const TINY_BYTES = 256;
const TOGETHER = 256;

/**
 * Passes at most this many bytes, then fails. Tiny pieces are put together: a hostile site could send very many, which wait
 * here while the browser does not read.
 */
export function boundBytes(maxBytes: number, reason: "too-large" | "request-too-large"): Transform {
  let count = 0;
  let tiny: Buffer[] = [];
  const takeTiny = (...last: Buffer[]): Buffer => {
    const together = Buffer.concat([...tiny, ...last]);
    tiny = [];
    return together;
  };
  /** Only a piece that is passed on waits for the reader. */
  const isBehind = ({ readableLength, readableHighWaterMark }: Readable) => readableLength >= readableHighWaterMark;
  return new Transform({
    // No piece waits before this one is taken.
    writableHighWaterMark: 1,
    transform(chunk: Buffer, _encoding, done) {
      count += chunk.length;
      if (count > maxBytes) done(new SiteFault(reason));
      else if (chunk.length >= TINY_BYTES) done(null, tiny.length > 0 ? takeTiny(chunk) : chunk);
      else if (tiny.push(chunk) >= TOGETHER || isBehind(this)) done(null, takeTiny());
      else {
        // No later than when all that has arrived is read.
        if (tiny.length === 1) setImmediate(() => tiny.length > 0 && !this.destroyed && this.push(takeTiny()));
        done();
      }
    },
    flush: (done) => done(null, tiny.length > 0 ? takeTiny() : undefined),
  });
}

/** The text of a page in any encoding; an empty page becomes `<body>`. */
export async function* textOfPage(source: Readable, contentType: string): AsyncGenerator<string> {
  const first: Buffer[] = [];
  let length = 0;
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let isBlank = true;
  const decode = (bytes: Buffer, isLast: boolean): string => {
    decoder ??= new TextDecoder(encodingOf(bytes, contentType));
    const text = decoder.decode(bytes, { stream: !isLast });
    isBlank &&= text.trim() === "";
    return text;
  };
  for await (const chunk of source as AsyncIterable<Buffer>) {
    if (decoder) yield decode(chunk, false);
    else {
      first.push(chunk);
      length += chunk.length;
      if (length >= SNIFFED_BYTES) yield decode(Buffer.concat(first), false);
    }
  }
  yield decoder ? decode(Buffer.alloc(0), true) : decode(Buffer.concat(first), true);
  if (isBlank) yield "<body>";
}

/** As browsers do: byte order mark, header, the page's own declaration; else UTF-8 if it is valid. */
function encodingOf(bytes: Buffer, contentType: string): string {
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  const start = bytes.subarray(0, SNIFFED_BYTES).toString("latin1");
  const named = CHARSET.exec(contentType)?.[1] ?? charsetInMeta(start);
  const known = named === undefined ? undefined : knownEncoding(named);
  return known ?? (isUtf8(bytes) ? "utf-8" : "windows-1252");
}

const CHARSET = /;\s*charset\s*=\s*["']?([^\s"';]+)/i;
const META_CHARSET = /charset\s*=\s*["']?([^\s"'/>;]+)/i;

/** Of the first `<meta>` that names one. */
function charsetInMeta(start: string): string | undefined {
  for (const upToEnd of start.split(">")) {
    const [, ...insideMeta] = upToEnd.split(/<meta/i);
    const charset = META_CHARSET.exec(insideMeta.join(" "))?.[1];
    if (charset !== undefined) return charset;
  }
  return undefined;
}

function knownEncoding(name: string): string | undefined {
  try {
    const { encoding } = new TextDecoder(name);
    return encoding;
  } catch {
    return undefined;
  }
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
