import type { FileHandle } from "node:fs/promises";
import { crc32, zstdCompressSync } from "node:zlib";
import { McapChunkBuilder, McapRecordBuilder, type McapTypes, Opcode } from "@mcap/core";

type Schema = McapTypes.TypedMcapRecords["Schema"];
type Channel = McapTypes.TypedMcapRecords["Channel"];
type ChunkIndex = McapTypes.TypedMcapRecords["ChunkIndex"];

export type McapMessage = { channelId: number; logTime: bigint; publishTime: bigint; data: Uint8Array };

/** What the end of a file says of everything before it. */
export type McapContents = {
  /** Of the bytes before it: where the next record is written. */
  position: number;
  schemas: Map<number, Omit<Schema, "type">>;
  channels: Map<number, Omit<Channel, "type">>;
  chunks: Omit<ChunkIndex, "type">[];
  counts: Map<number, number>;
};

export const newContents = (): McapContents => ({
  ...{ position: 0, schemas: new Map(), channels: new Map(), chunks: [], counts: new Map() },
});

const LIBRARY = "backplane";

/**
 * An MCAP file that is written from its start to its end. Each chunk is one write, with its index behind it; schemas and
 * channels are outside of chunks. So a file that ends anywhere can be completed without reading what is in its chunks.
 */
export type McapFile = {
  readonly contents: McapContents;
  /** Bytes of the file when everything so far is written, about. */
  readonly bytes: number;
  /** Bytes of the chunk that is not written yet. */
  readonly pendingBytes: number;
  addChannel(channel: { topic: string; schema: Pick<Schema, "name" | "data">; metadata: Map<string, string> }): number;
  addMessage(message: McapMessage): void;
  /** Writes what was added; resolves when the operating system has it. */
  endChunk(): Promise<void>;
  /** Writes the index of the whole file. */
  finish(): Promise<void>;
};

export async function createMcapFile(handle: FileHandle): Promise<McapFile> {
  const contents = newContents();
  const chunk = new McapChunkBuilder({});
  let newRecords = new McapRecordBuilder();
  newRecords.writeMagic();
  newRecords.writeHeader({ profile: "", library: LIBRARY });
  let sequence = 0;

  /** After a write that failed, nobody knows what is in the file: it takes nothing more, and is completed from what is there. */
  let fault: unknown;

  async function flush(records: McapRecordBuilder): Promise<void> {
    if (fault !== undefined) throw fault;
    try {
      await writeAll(handle, records.buffer, contents.position);
      contents.position += records.length;
    } catch (error) {
      fault = error;
      throw error;
    }
  }

  async function endChunk(): Promise<void> {
    // Those of a channel come before its first message, in the same write.
    const records = newRecords;
    newRecords = new McapRecordBuilder();
    if (chunk.numMessages > 0) {
      contents.chunks.push(writeChunk(records, chunk, contents.position));
      for (const { channelId, records: entries } of chunk.indices)
        contents.counts.set(channelId, (contents.counts.get(channelId) ?? 0) + entries.length);
      chunk.reset();
    }
    if (records.length > 0) await flush(records);
  }

  await endChunk();
  return {
    contents,
    get bytes() {
      return contents.position + newRecords.length;
    },
    get pendingBytes() {
      return chunk.byteLength;
    },
    addChannel({ topic, schema: { name, data }, metadata }) {
      const schema = { id: contents.schemas.size + 1, name, encoding: "jsonschema", data };
      const channel = { id: contents.channels.size, topic, schemaId: schema.id, messageEncoding: "json", metadata };
      contents.schemas.set(schema.id, schema);
      contents.channels.set(channel.id, channel);
      newRecords.writeSchema(schema);
      newRecords.writeChannel(channel);
      return channel.id;
    },
    addMessage(message) {
      chunk.addMessage({ ...message, sequence });
      sequence = (sequence + 1) % 2 ** 32;
    },
    endChunk,
    async finish() {
      await endChunk();
      await flush(endOf(contents));
    },
  };
}

function writeChunk(
  records: McapRecordBuilder,
  chunk: McapChunkBuilder,
  position: number,
): McapContents["chunks"][number] {
  const { buffer, messageStartTime, messageEndTime } = chunk;
  const compressed = zstdCompressSync(buffer);
  const uncompressedSize = BigInt(buffer.length);
  const times = { messageStartTime, messageEndTime, uncompressedSize, compression: "zstd" };
  const chunkStartOffset = BigInt(position + records.length);
  const chunkLength = records.writeChunk({ ...times, uncompressedCrc: crc32(buffer), records: compressed });
  const messageIndexOffsets = new Map<number, bigint>();
  const indexStart = records.length;
  for (const index of chunk.indices) {
    messageIndexOffsets.set(index.channelId, BigInt(position + records.length));
    records.writeMessageIndex(index);
  }
  return {
    ...{ ...times, chunkStartOffset, chunkLength, messageIndexOffsets },
    messageIndexLength: BigInt(records.length - indexStart),
    compressedSize: BigInt(compressed.length),
  };
}

/** Everything that comes after the last chunk: the summary, by which readers find what they look for. */
export function endOf(contents: McapContents): McapRecordBuilder {
  const { position, schemas, channels, chunks, counts } = contents;
  const records = new McapRecordBuilder();
  records.writeDataEnd({ dataSectionCrc: 0 });
  const at = () => BigInt(position + records.length);
  const summaryStart = at();
  const groups: { groupOpcode: Opcode; groupStart: bigint; groupLength: bigint }[] = [];
  const group = (groupOpcode: Opcode, write: () => void) => {
    const groupStart = at();
    write();
    if (at() > groupStart) groups.push({ groupOpcode, groupStart, groupLength: at() - groupStart });
  };
  group(Opcode.SCHEMA, () => {
    for (const schema of schemas.values()) records.writeSchema(schema);
  });
  group(Opcode.CHANNEL, () => {
    for (const channel of channels.values()) records.writeChannel(channel);
  });
  group(Opcode.STATISTICS, () => {
    const starts = chunks.map(({ messageStartTime }) => messageStartTime);
    const ends = chunks.map(({ messageEndTime }) => messageEndTime);
    records.writeStatistics({
      messageCount: BigInt(sum(counts.values())),
      ...{ schemaCount: schemas.size, channelCount: channels.size, attachmentCount: 0, metadataCount: 0 },
      chunkCount: chunks.length,
      messageStartTime: starts.reduce((least, one) => (one < least ? one : least), starts[0] ?? 0n),
      messageEndTime: ends.reduce((most, one) => (one > most ? one : most), 0n),
      channelMessageCounts: new Map(Array.from(counts, ([id, count]) => [id, BigInt(count)])),
    });
  });
  group(Opcode.CHUNK_INDEX, () => {
    for (const chunk of chunks) records.writeChunkIndex(chunk);
  });
  const summaryOffsetStart = at();
  for (const one of groups) records.writeSummaryOffset(one);
  // A checksum of 0 means that there is none: the chunks have theirs, and the summary can be made again from them.
  records.writeFooter({ summaryStart, summaryOffsetStart, summaryCrc: 0 });
  records.writeMagic();
  return records;
}

const sum = (numbers: Iterable<number>): number => Iterator.from(numbers).reduce((all, one) => all + one, 0);

export async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
