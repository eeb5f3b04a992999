import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from "node:crypto";
import type { Sink } from "./block-writer.ts";
import { ByteSource } from "./byte-source.ts";
import { BackupFault } from "./reader.ts";
import { TarFault } from "./tar.ts";

/**
 * The age file format (https://age-encryption.org/v1) with a passphrase: `age -d` reads what is written here, and what
 * `age -p` wrote is read here. Every byte is authenticated: the header by an HMAC, each chunk by Poly1305.
 */

const VERSION = "age-encryption.org/v1";
const CIPHER = "chacha20-poly1305";
const TAG_BYTES = 16;
const CHUNK_BYTES = 64 * 1024;
const FILE_KEY_BYTES = 16;
/** As the `age` command: 256 MiB of memory, about a second. */
const WORK_FACTOR = 18;
/** A hostile file must not make us compute for hours. */
const MAX_WORK_FACTOR = 20;
const MAX_HEADER_LINE_BYTES = 1_024;

/** Encrypts everything on its way to the sink. */
export async function encrypting(sink: Sink, passphrase: string, workFactor = WORK_FACTOR): Promise<Sink> {
  const fileKey = randomBytes(FILE_KEY_BYTES);
  const salt = randomBytes(16);
  const wrapped = seal(await wrapKey(passphrase, salt, workFactor), Buffer.alloc(12), fileKey);
  const header = `${VERSION}\n-> scrypt ${bare(salt)} ${workFactor}\n${bare(wrapped)}\n---`;
  const nonce = randomBytes(16);
  const key = derive(fileKey, nonce, "payload");
  let chunk = 0;
  let begun = false;
  // The last chunk is marked, so one is always kept back.
  let kept: Buffer = Buffer.alloc(0);

  async function send(bytes: Buffer, isLast: boolean): Promise<void> {
    if (!begun) await sink.write(Buffer.concat([Buffer.from(`${header} ${bare(macOf(fileKey, header))}\n`), nonce]));
    begun = true;
    const sealed: Buffer[] = [];
    for (let at = 0; at < bytes.length || (isLast && at === 0); at += CHUNK_BYTES) {
      const piece = bytes.subarray(at, at + CHUNK_BYTES);
      sealed.push(seal(key, nonceOf(chunk, isLast && at + CHUNK_BYTES >= bytes.length), piece));
      chunk += 1;
    }
    await sink.write(Buffer.concat(sealed));
  }

  return {
    ...sink,
    async write(bytes) {
      const all = kept.length === 0 ? bytes : Buffer.concat([kept, bytes]);
      const now = Math.max(0, Math.ceil(all.length / CHUNK_BYTES) - 1) * CHUNK_BYTES;
      // The caller overwrites its bytes.
      kept = Buffer.from(all.subarray(now));
      if (now > 0) await send(all.subarray(0, now), false);
    },
    async finish() {
      await send(kept, true);
      await sink.finish();
    },
  };
}

/** The plain bytes. Throws a BackupFault when the passphrase is wrong or a byte was changed. */
export async function* decrypting(source: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  try {
    yield* decrypted(new ByteSource(source), passphrase);
  } catch (error) {
    throw error instanceof TarFault ? damaged("it ends too early") : error;
  }
}

async function* decrypted(bytes: ByteSource, passphrase: string): AsyncGenerator<Buffer> {
  const fileKey = await readHeader(bytes, passphrase);
  const key = derive(fileKey, await bytes.read(16), "payload");
  for (let chunk = 0, isLast = false; !isLast; chunk += 1) {
    const sealed = await readUpTo(bytes, CHUNK_BYTES + TAG_BYTES);
    isLast = !(await bytes.hasMore());
    const plain = open(key, nonceOf(chunk, isLast), sealed);
    if (!plain || (isLast && plain.length === 0 && chunk > 0)) throw damaged(`at about byte ${bytes.bytes}`);
    yield plain;
  }
}

async function readHeader(bytes: ByteSource, passphrase: string): Promise<Buffer> {
  const lines: string[] = [];
  while (!lines.at(-1)?.startsWith("---")) {
    if (lines.length > 4) throw damaged("its header");
    lines.push(await readLine(bytes));
  }
  const [version, stanza = "", body = "", last = ""] = lines;
  const [, salt, factor] = /^-> scrypt ([A-Za-z0-9+/]{22}) ([1-9]\d?)$/.exec(stanza) ?? [];
  const [, mac] = /^--- ([A-Za-z0-9+/]{43})$/.exec(last) ?? [];
  if (version !== VERSION || lines.length !== 4 || !salt || !mac || !/^[A-Za-z0-9+/]{43}$/.test(body)) {
    throw damaged("its header, or it is encrypted for a key and not with a passphrase");
  }
  const workFactor = Number(factor);
  if (workFactor > MAX_WORK_FACTOR) throw damaged("its header demands too much work");
  const wrap = await wrapKey(passphrase, Buffer.from(salt, "base64"), workFactor);
  const fileKey = open(wrap, Buffer.alloc(12), Buffer.from(body, "base64"));
  if (!fileKey) throw new BackupFault("The passphrase is wrong, or the header of the backup is damaged.");
  const expected = macOf(fileKey, `${lines.slice(0, 3).join("\n")}\n---`);
  // Not all bits of the last character of base64 are used: compare the text as well.
  if (!timingSafeEqual(expected, Buffer.from(mac, "base64")) || bare(expected) !== mac) throw damaged("its header");
  return fileKey;
}

const damaged = (what: string): BackupFault => new BackupFault(`The encrypted backup is damaged: ${what}.`);

async function readLine(bytes: ByteSource): Promise<string> {
  const line: number[] = [];
  for (;;) {
    const [byte = 0] = await bytes.read(1);
    if (byte === 0x0a) return Buffer.from(line).toString("latin1");
    line.push(byte);
    if (line.length > MAX_HEADER_LINE_BYTES) throw damaged("its header");
  }
}

async function readUpTo(bytes: ByteSource, max: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let left = max; left > 0 && (await bytes.hasMore()); ) {
    const part = await bytes.next(left);
    parts.push(part);
    left -= part.length;
  }
  return Buffer.concat(parts);
}

function wrapKey(passphrase: string, salt: Buffer, workFactor: number): Promise<Buffer> {
  const cost = 2 ** workFactor;
  const options = { N: cost, r: 8, p: 1, maxmem: 130 * 8 * cost + 1024 * 1024 };
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  scrypt(passphrase, Buffer.concat([Buffer.from(`${VERSION}/scrypt`), salt]), 32, options, (error, key) =>
    error ? reject(error) : resolve(key),
  );
  return promise;
}

const derive = (key: Buffer, salt: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", key, salt, purpose, 32));

const macOf = (fileKey: Buffer, header: string): Buffer =>
  createHmac("sha256", derive(fileKey, Buffer.alloc(0), "header"))
    .update(header)
    .digest();

/** The number of the chunk, and 1 in the last byte for the last one. */
function nonceOf(chunk: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(chunk, 5, 6);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

function seal(key: Buffer, nonce: Buffer, plain: Buffer): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function open(key: Buffer, nonce: Buffer, sealed: Buffer): Buffer | undefined {
  if (sealed.length < TAG_BYTES) return undefined;
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const plain = decipher.update(sealed.subarray(0, -TAG_BYTES));
  try {
    return Buffer.concat([plain, decipher.final()]);
  } catch {
    return undefined;
  }
}

/** base64 without padding. */
const bare = (bytes: Buffer): string => bytes.toString("base64").replaceAll("=", "");

/** How a file of this format begins. */
export const isAge = (beginning: Buffer): boolean => beginning.toString("latin1").startsWith(`${VERSION}\n`);
