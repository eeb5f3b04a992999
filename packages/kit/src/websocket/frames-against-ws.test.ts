import assert from "node:assert/strict";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { type Duplex, duplexPair } from "node:stream";
import { after, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import { isLongRun, trials } from "../../../../scripts/testing/long.ts";
import { type FrameLimits, FrameReader, type Refusal } from "./frames.ts";
import { CHARACTERS, type ClientFrame, encodeClose, encodeFrame, OPCODE } from "./testing/client-frames.ts";
import { recordingSink } from "./testing/recording-sink.ts";

/** What both must agree on: the messages in order, and the code of the close frame that is sent back. */
type Outcome = { messages: { kind: "text" | Refusal; text: string }[]; closeCode: number | undefined };

const NONE_GIVEN = 1005;

/** `ws`, over a pair of streams instead of a network, so that it gets the very same pieces. */
async function throughWs(server: WebSocketServer, chunks: readonly Buffer[]): Promise<Outcome> {
  const outcome: Outcome = { messages: [], closeCode: undefined };
  const [ours, theirs] = duplexPair();
  const socket = await upgrade(server, theirs);
  socket.on("error", () => {});
  socket.on("message", (data: RawData, isBinary: boolean) => {
    outcome.messages.push({ kind: isBinary ? "binary" : "text", text: isBinary ? "" : data.toString() });
  });
  const closed = new Promise((resolve) => socket.once("close", resolve));
  const answer: Buffer[] = [];
  ours.on("data", (chunk: Buffer) => answer.push(chunk));
  for (const chunk of chunks) ours.write(Buffer.from(chunk));
  // ws says what was wrong in a later tick, and no more once the stream has ended.
  await setImmediate();
  ours.end();
  await closed;
  outcome.closeCode = closeCodeIn(Buffer.concat(answer));
  return outcome;
}

async function upgrade(server: WebSocketServer, stream: Duplex): Promise<WebSocket> {
  const request = new IncomingMessage(new Socket());
  request.method = "GET";
  request.headers = {
    upgrade: "websocket",
    connection: "Upgrade",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    "sec-websocket-version": "13",
  };
  return new Promise((resolve) => server.handleUpgrade(request, stream, Buffer.alloc(0), resolve));
}

/** What the server sent after its handshake: pongs, and at most one close frame. */
function closeCodeIn(answer: Buffer): number | undefined {
  let at = answer.indexOf("\r\n\r\n") + 4;
  while (at < answer.length) {
    const length = answer[at + 1] as number;
    if (answer[at] === 0x88) return length === 0 ? NONE_GIVEN : answer.readUInt16BE(at + 2);
    at += 2 + length;
  }
  return undefined;
}

function throughOurs(chunks: readonly Buffer[], limits: FrameLimits): Outcome {
  const sink = recordingSink();
  const reader = new FrameReader(limits);
  for (const chunk of chunks) reader.read(Buffer.from(chunk), sink);
  const outcome: Outcome = { messages: [], closeCode: undefined };
  for (const event of sink.heard) {
    if ("text" in event) outcome.messages.push({ kind: "text", text: event.text });
    else if ("refused" in event) outcome.messages.push({ kind: event.refused, text: "" });
    else if ("close" in event) outcome.closeCode = event.close;
    else if ("violation" in event) outcome.closeCode = event.violation;
  }
  return outcome;
}

const MAX_PAYLOAD_BYTES = 150;
/** As a server without `onRefused` has them: nothing is read past, so that 1009 comes where `ws` says it. */
const LIMITS = { maxPayloadBytes: MAX_PAYLOAD_BYTES, maxSkippedBytes: MAX_PAYLOAD_BYTES };

const { continuation, text, binary, close, ping, pong } = OPCODE;
const lengthBits = fc.constantFrom<7 | 16 | 64>(7, 7, 7, 16, 64);
const utf8 = fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 16 }).map((value) => Buffer.from(value));
const bytes = fc.uint8Array({ maxLength: 16 }).map((value) => Buffer.from(value));
/** Where another way to write the length begins, and where messages become too large. */
const long = fc.integer({ min: 120, max: 160 }).map((length) => Buffer.alloc(length, "x"));
const closeCodes = fc.oneof(
  { weight: 3, arbitrary: fc.constant(1000) },
  { weight: 2, arbitrary: fc.constantFrom(1001, 1005, 1014, 3000, 4999, 5000) },
  { weight: 1, arbitrary: fc.nat(65_535) },
);
const closeFrames = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(closeCodes, utf8).map(([code, reason]) => encodeClose(code, reason)) },
  { weight: 1, arbitrary: fc.tuple(closeCodes, bytes).map(([code, reason]) => encodeClose(code, reason)) },
  { weight: 1, arbitrary: fc.constant(encodeFrame({ opcode: close })) },
);
const controlFrames = fc.record({ opcode: fc.constantFrom(ping, pong), payload: bytes }).map(encodeFrame);

/** A message as its fragments, with control frames between them. */
const messages = fc
  .record({
    opcode: fc.constantFrom(text, text, text, binary),
    fragments: fc.array(
      fc.oneof({ weight: 40, arbitrary: utf8 }, { weight: 1, arbitrary: bytes }, { weight: 2, arbitrary: long }),
      { minLength: 1, maxLength: 4 },
    ),
    between: fc.array(controlFrames, { maxLength: 2 }),
    lengthBits,
  })
  .map(({ opcode, fragments, between, lengthBits }) =>
    Buffer.concat(
      fragments.flatMap((payload, i) => [
        ...(i === 1 ? between : []),
        encodeFrame({
          opcode: i === 0 ? opcode : continuation,
          payload,
          isLast: i === fragments.length - 1,
          lengthBits,
        }),
      ]),
    ),
  );

const anyFrame = fc
  .record<ClientFrame>({
    opcode: fc.nat(15),
    payload: fc.oneof(utf8, bytes, long),
    isLast: fc.boolean(),
    reserved: fc.constantFrom(0, 0, 0, 0, 1, 2, 4),
    isMasked: fc.constantFrom(true, true, true, false),
    lengthBits,
  })
  .map(encodeFrame);

const streams = fc
  .array(
    fc.oneof(
      { weight: 12, arbitrary: messages },
      { weight: 4, arbitrary: controlFrames },
      { weight: 2, arbitrary: closeFrames },
      { weight: 1, arbitrary: anyFrame },
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((frames) => Buffer.concat(frames));

/** Some streams are left whole; of others a byte is changed, or the end cut off. */
const mutations = fc.record({
  change: fc.option(fc.record({ at: fc.nat(), to: fc.nat(255) }), { freq: 1 }),
  keep: fc.option(fc.nat(), { freq: 1 }),
});
const cuts = fc.array(fc.nat(), { maxLength: 12 });

function mutate(stream: Buffer, { change, keep }: { change: { at: number; to: number } | null; keep: number | null }) {
  const mutated = Buffer.from(stream);
  if (change !== null) mutated[change.at % mutated.length] = change.to;
  return keep === null ? mutated : mutated.subarray(0, keep % (mutated.length + 1));
}

function split(stream: Buffer, at: readonly number[]): Buffer[] {
  const bounds = [...at.map((cut) => cut % (stream.length + 1)).toSorted((a, b) => a - b), stream.length];
  return bounds.map((end, i) => stream.subarray(bounds[i - 1] ?? 0, end));
}

const server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: MAX_PAYLOAD_BYTES });
after(() => server.close());

/** With fewer, a close code that must be among them would be missing now and then. */
const STREAMS = isLongRun ? 2_500 : 500;

test("ws reads the same messages and the same close code from any stream of bytes, in any pieces", async () => {
  const seen = { messages: 0, closeCodes: new Map<number | undefined, number>() };
  await fc.assert(
    fc.asyncProperty(streams, mutations, cuts, async (stream, mutation, at) => {
      const chunks = split(mutate(stream, mutation), at);
      const expected = await throughWs(server, chunks);
      assert.deepEqual(throughOurs(chunks, LIMITS), expected);
      seen.messages += expected.messages.length;
      seen.closeCodes.set(expected.closeCode, (seen.closeCodes.get(expected.closeCode) ?? 0) + 1);
    }),
    { numRuns: STREAMS },
  );
  // If nothing was received, agreement would prove nothing.
  assert.ok(seen.messages > STREAMS, `${seen.messages} messages`);
  for (const code of [undefined, 1000, 1002, 1005, 1007, 1009]) {
    assert.ok((seen.closeCodes.get(code) ?? 0) >= STREAMS / 250, `${code}: ${seen.closeCodes.get(code)} times`);
  }
});

const validMessages = fc
  .record({ fragments: fc.array(fc.oneof(utf8, utf8, long), { minLength: 1, maxLength: 2 }), between: controlFrames })
  .map(({ fragments: [first = "", last], between }) =>
    last === undefined
      ? encodeFrame({ opcode: text, payload: first })
      : Buffer.concat([
          encodeFrame({ opcode: text, payload: first, isLast: false }),
          between,
          encodeFrame({ opcode: continuation, payload: last }),
        ]),
  );

// The intended difference: with `onRefused` a message over the limit does not end the connection; ws has only one limit.
test("when oversized messages are skipped, ws with the larger limit reads the same, and ours all but those", async () => {
  const maxPayloadBytes = 40;
  const limits = { maxPayloadBytes, maxSkippedBytes: MAX_PAYLOAD_BYTES };
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(validMessages, closeFrames)), cuts, async (frames, at) => {
      const chunks = split(Buffer.concat(frames), at);
      const { messages: all, closeCode } = await throughWs(server, chunks);
      const messages = all.map((message) =>
        Buffer.byteLength(message.text) > maxPayloadBytes ? { kind: "too-large" as const, text: "" } : message,
      );
      assert.deepEqual(throughOurs(chunks, limits), { messages, closeCode });
    }),
    { numRuns: trials(500) },
  );
});
