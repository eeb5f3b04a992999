import assert from "node:assert/strict";
import { crc32, zstdDecompressSync } from "node:zlib";

/**
 * A reader of MCAP files, written from the published specification (mcap.dev/spec) and nothing else: the witness that
 * recordings are what other tools expect. It checks everything that the specification says about what it meets.
 */
const MAGIC = Buffer.from("\x89MCAP0\r\n", "latin1");
const OP = {
  ...{ header: 1, footer: 2, schema: 3, channel: 4, message: 5, chunk: 6, messageIndex: 7, chunkIndex: 8 },
  ...{ statistics: 11, summaryOffset: 14, dataEnd: 15 },
} as const;

class Fields {
  at = 0;
  readonly bytes: Buffer;
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
  u16 = () => this.bytes.readUInt16LE(this.#move(2));
  u32 = () => this.bytes.readUInt32LE(this.#move(4));
  u64 = () => this.bytes.readBigUInt64LE(this.#move(8));
  take = (length: number) => this.bytes.subarray(this.#move(length), this.at);
  text = () => this.take(this.u32()).toString("utf8");
  list = <T>(read: () => T): T[] => {
    const end = this.u32() + this.at;
    const all: T[] = [];
    while (this.at < end) all.push(read());
    assert.equal(this.at, end);
    return all;
  };
  #move(by: number): number {
    this.at += by;
    assert.ok(this.at <= this.bytes.length, "a record is shorter than its fields");
    return this.at - by;
  }
}

type Found = { opcode: number; at: number; next: number; fields: Fields };

function* recordsIn(bytes: Buffer, from: number, to: number): Generator<Found> {
  for (let at = from; at < to; ) {
    const length = Number(bytes.readBigUInt64LE(at + 1));
    const next = at + 9 + length;
    assert.ok(next <= to, "a record ends after its section");
    yield { opcode: bytes.readUInt8(at), at, next, fields: new Fields(bytes.subarray(at + 9, next)) };
    at = next;
  }
}

export type McapMessage = { topic: string; logTime: bigint; publishTime: bigint; value: unknown };
export type ReadMcap = {
  messages: McapMessage[];
  schemas: Map<string, { encoding: string; data: unknown }>;
  metadata: Map<string, Map<string, string>>;
  /** Where each chunk with its indexes ends. */
  chunkEnds: number[];
};

export function readMcap(bytes: Buffer): ReadMcap {
  assert.ok(bytes.subarray(0, 8).equals(MAGIC), "it begins with the magic bytes");
  assert.ok(bytes.subarray(-8).equals(MAGIC), "it ends with the magic bytes");
  const footer = new Fields(bytes.subarray(bytes.length - 8 - 20, bytes.length - 8));
  assert.equal(bytes.readUInt8(bytes.length - 8 - 29), OP.footer);
  const [summaryStart, summaryOffsetStart] = [Number(footer.u64()), Number(footer.u64())];
  const data = readData(bytes, summaryStart);
  checkSummary(bytes, summaryStart, summaryOffsetStart, data);
  const { messages, schemas, channels, chunkEnds } = data;
  return {
    messages,
    chunkEnds,
    schemas: new Map(Array.from(channels.values(), ({ topic, schema }) => [topic, schemas.get(schema) as never])),
    metadata: new Map(Array.from(channels.values(), ({ topic, metadata }) => [topic, metadata])),
  };
}

type Channel = { topic: string; schema: number; metadata: Map<string, string> };
type Data = ReturnType<typeof readData>;

function readSchema(fields: Fields) {
  const [id, name, encoding] = [fields.u16(), fields.text(), fields.text()];
  assert.ok(id > 0 && name !== "");
  return { id, encoding, data: JSON.parse(fields.take(fields.u32()).toString("utf8")) as unknown };
}

function readChannel(fields: Fields): Channel & { id: number } {
  const [id, schema, topic, encoding] = [fields.u16(), fields.u16(), fields.text(), fields.text()];
  assert.equal(encoding, "json");
  return { id, schema, topic, metadata: new Map(fields.list(() => [fields.text(), fields.text()] as const)) };
}

function readData(bytes: Buffer, end: number) {
  const schemas = new Map<number, { encoding: string; data: unknown }>();
  const channels = new Map<number, Channel>();
  const messages: McapMessage[] = [];
  const chunks = new Map<
    number,
    { end: number; places: Map<number, [bigint, number][]>; indexes: Map<number, number> }
  >();
  const chunkEnds: number[] = [];
  let last: { places: Map<number, [bigint, number][]>; indexes: Map<number, number> } | undefined;
  let isOver = false;
  const [first, ...rest] = [...recordsIn(bytes, 8, end)];
  assert.equal(first?.opcode, OP.header);
  for (const { opcode, at, next, fields } of rest) {
    assert.ok(!isOver, "nothing is between the end of the data and the summary");
    if (opcode === OP.schema) {
      const { id, ...schema } = readSchema(fields);
      schemas.set(id, schema);
    } else if (opcode === OP.channel) {
      const { id, ...channel } = readChannel(fields);
      assert.ok(schemas.has(channel.schema), "a schema comes before its channels");
      channels.set(id, channel);
    } else if (opcode === OP.chunk) {
      last = { places: readChunk(fields, channels, messages), indexes: new Map() };
      chunks.set(at, { end: next, ...last });
      chunkEnds.push(next);
    } else if (opcode === OP.messageIndex) {
      const id = fields.u16();
      const entries = fields.list(() => [fields.u64(), Number(fields.u64())] as [bigint, number]);
      assert.deepEqual(entries, last?.places.get(id), "the index has exactly the messages of the chunk");
      last?.indexes.set(id, at);
      chunkEnds[chunkEnds.length - 1] = next;
    } else {
      assert.equal(opcode, OP.dataEnd, `opcode ${opcode} in the data`);
      isOver = true;
    }
  }
  assert.ok(isOver, "the data ends with a record that says so");
  return { schemas, channels, messages, chunks, chunkEnds };
}

function readChunk(fields: Fields, channels: Map<number, Channel>, messages: McapMessage[]) {
  const [start, end, size, crc, compression] = [fields.u64(), fields.u64(), fields.u64(), fields.u32(), fields.text()];
  assert.equal(compression, "zstd");
  const records = zstdDecompressSync(fields.take(Number(fields.u64())));
  assert.equal(fields.at, fields.bytes.length);
  assert.deepEqual([BigInt(records.length), crc32(records)], [size, crc]);
  const places = new Map<number, [bigint, number][]>();
  for (const { opcode, at, fields: message } of recordsIn(records, 0, records.length)) {
    assert.equal(opcode, OP.message);
    const [id, , logTime, publishTime] = [message.u16(), message.u32(), message.u64(), message.u64()];
    const topic = channels.get(id)?.topic;
    assert.ok(topic !== undefined, "a channel comes before its messages");
    assert.ok(logTime >= start && logTime <= end);
    places.set(id, [...(places.get(id) ?? []), [logTime, at]]);
    const value = JSON.parse(message.bytes.subarray(message.at).toString("utf8")) as unknown;
    messages.push({ topic, logTime, publishTime, value });
  }
  return places;
}

function checkSummary(bytes: Buffer, start: number, offsetStart: number, data: Data): void {
  const seen = new Set<number>();
  const groups = new Map<number, [number, number]>();
  for (const { opcode, at, next, fields } of recordsIn(bytes, start, offsetStart)) {
    groups.set(opcode, [groups.get(opcode)?.[0] ?? at, next]);
    if (opcode === OP.chunkIndex) {
      const [, , place, length] = [fields.u64(), fields.u64(), Number(fields.u64()), Number(fields.u64())];
      const chunk = data.chunks.get(place);
      assert.equal(chunk?.end, place + length, "the index of a chunk points to it");
      seen.add(place);
      const indexes = new Map(fields.list(() => [fields.u16(), Number(fields.u64())] as const));
      assert.deepEqual(indexes, chunk?.indexes);
    } else if (opcode === OP.statistics) {
      assert.equal(fields.u64(), BigInt(data.messages.length));
      assert.equal(fields.u16(), data.schemas.size);
      assert.equal(fields.u32(), data.channels.size);
      fields.take(8);
      assert.equal(fields.u32(), data.chunks.size);
      const times = data.messages.map(({ logTime }) => logTime).sort((a, b) => Number(a - b));
      assert.deepEqual([fields.u64(), fields.u64()], [times[0] ?? 0n, times.at(-1) ?? 0n]);
      const counts = fields.list(() => [fields.u16(), fields.u64()] as const);
      assert.equal(
        counts.reduce((sum, [, count]) => sum + count, 0n),
        BigInt(data.messages.length),
      );
    } else if (opcode === OP.schema) assert.ok(data.schemas.has(readSchema(fields).id));
    else if (opcode === OP.channel) assert.ok(data.channels.has(readChannel(fields).id));
    else assert.fail(`opcode ${opcode} in the summary`);
  }
  assert.equal(seen.size, data.chunks.size, "every chunk has its index");
  for (const { opcode, fields } of recordsIn(bytes, offsetStart, bytes.length - 8 - 29)) {
    assert.equal(opcode, OP.summaryOffset);
    const [group, from, length] = [
      fields.bytes.readUInt8(0),
      Number(fields.bytes.readBigUInt64LE(1)),
      Number(fields.bytes.readBigUInt64LE(9)),
    ];
    assert.deepEqual(groups.get(group), [from, from + length]);
  }
}
