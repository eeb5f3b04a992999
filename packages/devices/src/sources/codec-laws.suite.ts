import assert from "node:assert/strict";
import { test } from "node:test";
import { trials } from "../../../../scripts/testing/long.ts";
import { type Codec, MAX_WAITING_BYTES, type StreamReader } from "./codec.ts";

const MUTATIONS = trials(10_000);
const ROUND_TRIPS = trials(1_000);
/** After noise, a reader has found its way again when it has read this many messages more. */
const MAX_LOST = 300;

export type Random = () => number;

/** An example as the protocol's own documents have it. `isReadOnly`: what we write says the same in other bytes. */
export type Example<Message> = { bytes: string | Uint8Array; message: Message; isReadOnly?: true };

type Laws<Message> = {
  examples: readonly Example<Message>[];
  /** Any message, with its numbers as the protocol has them. */
  any(random: Random): Message;
};

/** What every codec must do, whatever arrives. */
export function codecLaws<Message>(name: string, codec: Codec<Message>, { examples, any }: Laws<Message>): void {
  const bytesOf = ({ bytes }: Example<Message>) => Buffer.from(bytes as string);
  const readAll = (...pieces: Uint8Array[]): Message[] => {
    const reader = codec.createReader();
    return pieces.flatMap((piece) => reader.take(piece));
  };
  const mustRead = (found: unknown, wanted: unknown, why: string) => assert.deepEqual(found, wanted, `${name}: ${why}`);

  test(`${name}: published examples are read and written byte for byte`, () => {
    for (const example of examples) {
      const bytes = bytesOf(example);
      mustRead(readAll(bytes), [example.message], show(bytes));
      if (!example.isReadOnly) mustRead(show(codec.write(example.message)), show(bytes), "written");
    }
  });

  test(`${name}: a message cut at every byte is not read until its rest comes`, () => {
    for (const example of examples) {
      const bytes = bytesOf(example);
      for (let cut = 0; cut < bytes.length; cut += 1) {
        const [before, after] = [bytes.subarray(0, cut), bytes.subarray(cut)];
        const early = readAll(before);
        // Only an end that nobody needs may be missing, such as the LF of CR LF.
        if (early.length > 0) mustRead(early, [example.message], `first ${cut} bytes of ${show(bytes)}`);
        mustRead(readAll(before, after), [example.message], `${show(bytes)} cut at ${cut}`);
      }
      mustRead(readAll(...Array.from(bytes, (byte) => Uint8Array.of(byte))), [example.message], "byte by byte");
    }
  });

  test(`${name}: what is written is read as it was`, () => {
    const random = randomOf(1);
    const messages = Array.from({ length: ROUND_TRIPS }, () => any(random));
    const all = Buffer.concat(messages.map(codec.write));
    mustRead(readAll(all), messages, "in one piece");
    mustRead(readAll(...inPieces(all, random)), messages, "in pieces of any length");
  });

  test(`${name}: ${MUTATIONS} mutations neither throw nor hang, and reading goes on after them`, () => {
    const random = randomOf(2);
    const reader = codec.createReader();
    for (let count = 0; count < MUTATIONS; count += 1) {
      const example = examples[Math.floor(random() * examples.length)];
      const whole = example && random() < 0.5 ? bytesOf(example) : codec.write(any(random));
      for (const piece of inPieces(mutated(Buffer.from(whole), random), random)) reader.take(piece);
      assert.ok(reader.waiting <= MAX_WAITING_BYTES);
      if (count % 100 === 0) mustRecover(reader, random);
    }
  });

  test(`${name}: a message without an end is given up, and reading goes on behind it`, () => {
    for (const filler of [0x00, 0x20, 0x41, 0x7e, 0xff]) {
      const reader = codec.createReader();
      for (const start of [Buffer.alloc(0), ...examples.map((example) => bytesOf(example).subarray(0, -2))]) {
        reader.take(start);
        for (let i = 0; i < 40; i += 1) reader.take(Buffer.alloc(4_096, filler));
        assert.ok(reader.waiting <= MAX_WAITING_BYTES);
      }
      mustRecover(reader, randomOf(3));
    }
  });

  /** Some of what follows noise may be taken for its end; then messages are read as they are. */
  function mustRecover(reader: StreamReader<Message>, random: Random): void {
    const marks = Array.from({ length: MAX_LOST }, () => any(random));
    const read = reader.take(Buffer.concat(marks.map(codec.write)));
    const last = marks.slice(-3);
    mustRead(read.slice(-3), last, "the last messages after noise");
  }
}

function mutated(bytes: Buffer, random: Random): Buffer {
  const at = () => Math.floor(random() * (bytes.length + 1));
  let result = Buffer.from(bytes);
  for (let times = 1 + Math.floor(random() * 4); times > 0; times -= 1) {
    const [from, to] = [at(), at()].sort((a, b) => a - b) as [number, number];
    const byte = Buffer.of(Math.floor(random() * 256));
    const way = Math.floor(random() * 6);
    if (way === 0 && from < result.length) result[from] = (result[from] as number) ^ (1 << Math.floor(random() * 8));
    else if (way === 1) result = Buffer.concat([result.subarray(0, from), byte, result.subarray(from)]);
    else if (way === 2) result = Buffer.concat([result.subarray(0, from), result.subarray(to)]);
    else if (way === 3) result = Buffer.concat([result, result.subarray(from, to)]);
    else if (way === 4) result = result.subarray(0, from);
    else result = Buffer.concat([result.subarray(0, from), Buffer.alloc(to - from, byte[0]), result.subarray(to)]);
  }
  return result;
}

function inPieces(bytes: Buffer, random: Random): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = 1 + Math.floor(random() * 40);
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  return pieces;
}

const show = (bytes: Uint8Array): string => JSON.stringify(Buffer.from(bytes).toString("latin1"));

/** For `any`. */
export const pick = <One>(random: Random, all: readonly One[]): One => all[Math.floor(random() * all.length)] as One;
/** A number with as many digits as text protocols keep. */
export const decimal = (random: Random, most = 1_000): number => Number(((random() * 2 - 1) * most).toFixed(3)) + 0;

/** A linear congruential generator: a failure is the same failure the next time. */
function randomOf(seed: number): Random {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
