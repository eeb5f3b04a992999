import type { FileHandle } from "node:fs/promises";
import { crc32, zstdDecompressSync } from "node:zlib";
import { McapRecordBuilder, McapStreamReader, type McapTypes, Opcode } from "@mcap/core";
import { endOf, type McapContents, newContents, writeAll } from "./mcap-file.ts";

const MAGIC = "\x89MCAP0\r\n";
const HEAD_BYTES = 9;
/** The fields of a chunk before its data, with a short name of its compression. */
const CHUNK_HEAD_BYTES = 8 + 8 + 8 + 4 + 4 + 8 + 8;
const MAX_RECORD_BYTES = 64 * 1024 * 1024;
/** What is between two chunks is mostly less. */
const WINDOW_BYTES = 16 * 1024;

type Chunk = McapContents["chunks"][number];
type MessageIndex = McapTypes.MessageIndex;

/**
 * Completes a recording whose writer was killed: what is after its last whole chunk is cut off, and the index of the file
 * is written. Done twice, or killed while it does this, it gives the same file. Undefined: not even its beginning is there.
 */
export async function completeFile(handle: FileHandle): Promise<McapContents | undefined> {
  const read = createReader(handle, (await handle.stat()).size);
  const walked = await walk(read);
  if (!walked) return undefined;
  const { contents, places } = walked;
  const tail = await lastWhole(contents, read);
  for (const [record, at] of places) {
    if (at < contents.position) continue;
    if (contents.schemas.get(record.id) === record) contents.schemas.delete(record.id);
    else contents.channels.delete(record.id);
  }
  const indexes = new McapRecordBuilder();
  for (const index of tail) indexes.writeMessageIndex(index);
  await handle.truncate(contents.position);
  await writeAll(handle, indexes.buffer, contents.position);
  contents.position += indexes.length;
  const end = endOf(contents);
  await writeAll(handle, end.buffer, contents.position);
  contents.position += end.length;
  await handle.datasync();
  return contents;
}

/** Bytes of the file, fewer at its end. */
type Read = (position: number, length: number) => Promise<Buffer>;

function createReader(handle: FileHandle, size: number): Read {
  const window = Buffer.alloc(WINDOW_BYTES);
  let [start, end] = [0, 0];
  return async (position, wanted) => {
    const length = Math.max(0, Math.min(wanted, size - position));
    if (length > WINDOW_BYTES) {
      const space = Buffer.alloc(length);
      const { bytesRead } = await handle.read(space, 0, length, position);
      return space.subarray(0, bytesRead);
    }
    if (position < start || position + length > end) {
      const { bytesRead } = await handle.read(window, 0, WINDOW_BYTES, position);
      [start, end] = [position, position + bytesRead];
    }
    return window.subarray(position - start, Math.min(position + length, end) - start);
  };
}

async function headAt(read: Read, position: number): Promise<{ opcode: number; next: number } | undefined> {
  const bytes = await read(position, HEAD_BYTES);
  if (bytes.length < HEAD_BYTES) return undefined;
  const [opcode, length] = [bytes.readUInt8(0), Number(bytes.readBigUInt64LE(1))];
  if (length > MAX_RECORD_BYTES) return undefined;
  const next = position + HEAD_BYTES + length;
  const last = await read(next - 1, 1);
  return last.length === 1 ? { opcode, next } : undefined;
}

type Named = { id: number };
type Walked = { contents: McapContents; places: Map<Named, number> };

/** Goes from record to record, past what is in the chunks, until something is not whole. */
async function walk(read: Read): Promise<Walked | undefined> {
  const contents = newContents();
  const places = new Map<Named, number>();
  const header = await headAt(read, MAGIC.length);
  if ((await read(0, MAGIC.length)).toString("latin1") !== MAGIC || header?.opcode !== Opcode.HEADER) return undefined;
  contents.position = header.next;
  for (;;) {
    const at = contents.position;
    const head = await headAt(read, at);
    if (head?.opcode === Opcode.CHUNK) {
      const chunk = chunkOf(await read(at + HEAD_BYTES, CHUNK_HEAD_BYTES), at, head.next);
      if (!chunk) break;
      contents.chunks.push(chunk);
    } else if (head?.opcode === Opcode.MESSAGE_INDEX && contents.chunks.length > 0) {
      const chunk = contents.chunks.at(-1) as Chunk;
      const bytes = await read(at + HEAD_BYTES, 6);
      if (bytes.length < 6) break;
      chunk.messageIndexOffsets.set(bytes.readUInt16LE(0), BigInt(at));
      chunk.messageIndexLength += BigInt(head.next - at);
      addCount(contents, bytes.readUInt16LE(0), bytes.readUInt32LE(2) / 16);
    } else if (head?.opcode === Opcode.SCHEMA || head?.opcode === Opcode.CHANNEL) {
      const record = parse(await read(at, head.next - at));
      if (record?.type === "Schema") contents.schemas.set(record.id, record);
      else if (record?.type === "Channel") contents.channels.set(record.id, record);
      else break;
      places.set(record, at);
    } else break;
    contents.position = head.next;
  }
  return { contents, places };
}

function addCount({ counts }: McapContents, id: number, more: number): void {
  const count = (counts.get(id) ?? 0) + more;
  if (count > 0) counts.set(id, count);
  else counts.delete(id);
}

function chunkOf(bytes: Buffer, at: number, next: number): Chunk | undefined {
  if (bytes.length < 32) return undefined;
  const nameLength = bytes.readUInt32LE(28);
  if (bytes.length < 32 + nameLength + 8) return undefined;
  return {
    ...{ messageStartTime: bytes.readBigUInt64LE(0), messageEndTime: bytes.readBigUInt64LE(8) },
    ...{ uncompressedSize: bytes.readBigUInt64LE(16), compression: bytes.toString("latin1", 32, 32 + nameLength) },
    compressedSize: bytes.readBigUInt64LE(32 + nameLength),
    ...{ chunkStartOffset: BigInt(at), chunkLength: BigInt(next - at) },
    ...{ messageIndexOffsets: new Map(), messageIndexLength: 0n },
  };
}

/**
 * Ends the contents after the last chunk that can be read. The index of that chunk is made again, because part of it may be
 * missing; those before have theirs, or else what follows them would not be there.
 */
async function lastWhole(contents: McapContents, read: Read): Promise<MessageIndex[]> {
  for (let chunk = contents.chunks.at(-1); chunk; chunk = contents.chunks.at(-1)) {
    const start = Number(chunk.chunkStartOffset);
    await forgetIndex(contents, chunk, read);
    const indexes = messagesOf(await read(start, Number(chunk.chunkLength)), chunk);
    if (indexes) {
      contents.position = start + Number(chunk.chunkLength);
      let at = contents.position;
      for (const index of indexes) {
        addCount(contents, index.channelId, index.records.length);
        chunk.messageIndexOffsets.set(index.channelId, BigInt(at));
        at += HEAD_BYTES + 6 + index.records.length * 16;
      }
      chunk.messageIndexLength = BigInt(at - contents.position);
      return indexes;
    }
    contents.chunks.pop();
    contents.position = start;
  }
  return [];
}

async function forgetIndex(contents: McapContents, chunk: Chunk, read: Read): Promise<void> {
  for (const [id, at] of chunk.messageIndexOffsets) {
    const bytes = await read(Number(at) + HEAD_BYTES, 6);
    addCount(contents, id, -bytes.readUInt32LE(2) / 16);
  }
  chunk.messageIndexOffsets.clear();
}

/** The index of a chunk's messages, from the bytes of its record. Undefined: it cannot be read. */
function messagesOf(bytes: Buffer, { compressedSize, uncompressedSize }: Chunk): MessageIndex[] | undefined {
  if (uncompressedSize > MAX_RECORD_BYTES) return undefined;
  try {
    const packed = bytes.subarray(bytes.length - Number(compressedSize));
    const data = zstdDecompressSync(packed, { maxOutputLength: MAX_RECORD_BYTES });
    if (crc32(data) !== bytes.readUInt32LE(HEAD_BYTES + 24)) return undefined;
    const indexes = new Map<number, MessageIndex>();
    for (let at = 0; at < data.length; at += HEAD_BYTES + Number(data.readBigUInt64LE(at + 1))) {
      if (data.readUInt8(at) !== Opcode.MESSAGE) return undefined;
      const channelId = data.readUInt16LE(at + HEAD_BYTES);
      const index = indexes.get(channelId) ?? { channelId, records: [] };
      indexes.set(channelId, index);
      index.records.push([data.readBigUInt64LE(at + HEAD_BYTES + 6), BigInt(at)]);
    }
    return [...indexes.values()];
  } catch {
    return undefined;
  }
}

function parse(bytes: Uint8Array): McapTypes.TypedMcapRecord | undefined {
  try {
    const reader = new McapStreamReader({ noMagicPrefix: true });
    reader.append(bytes);
    return reader.nextRecord();
  } catch {
    return undefined;
  }
}
