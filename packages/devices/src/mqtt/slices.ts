import type { Duplex } from "node:stream";
import { createPacketGuard } from "./packets.ts";

/** Packets of one connection that are worked through in one turn of the event loop. */
export const PACKETS_PER_TURN = 32;

/**
 * Replaces `read` of a stream: Aedes works through all that it reads in one turn, so it gets a few packets at a time and
 * others have their turn in between. What has come is counted before any of it is parsed: Aedes gets nothing of a chunk
 * with a packet that is too large or not wanted, and the stream is closed.
 */
export function readInSlices(
  stream: Duplex,
  { isWanted, onRefused }: { isWanted: (type: number, bodyBytes: number) => boolean; onRefused: () => void },
): void {
  const read = stream.read.bind(stream);
  let isNextTurn = true;
  let packets = 0;
  /** Bytes since the connection began: given to Aedes, and counted. */
  let given = 0;
  let counted = 0;
  /** Where slices end, counted likewise. */
  const ends: number[] = [];
  const isFine = createPacketGuard(undefined, (type, bodyBytes, at) => {
    packets += 1;
    if (packets % PACKETS_PER_TURN === 0) ends.push(counted + at);
    return isWanted(type, bodyBytes);
  });

  /** What is left of a chunk stays in the stream, so that it does not end before that. */
  function readMore(): Buffer | null {
    const chunk: Buffer | null = read();
    if (chunk === null) return null;
    if (!isFine(chunk)) {
      stream.destroy();
      onRefused();
      return null;
    }
    counted += chunk.length;
    if (ends.length > 0) {
      stream.unshift(chunk);
      return giveSlice();
    }
    given = counted;
    return chunk;
  }

  function giveSlice(): Buffer | null {
    const bytes = (ends.shift() ?? counted) - given;
    if (bytes === 0) return null;
    given += bytes;
    const slice: Buffer | null = read(bytes);
    if (stream.readableLength > 0) waitForTurn();
    return slice;
  }

  function waitForTurn(): void {
    isNextTurn = false;
    setImmediate(() => {
      isNextTurn = true;
      if (!stream.destroyed) stream.emit("readable");
    });
  }

  stream.read = (size) => {
    if (size === 0) return read(0);
    if (!isNextTurn) return null;
    return given < counted ? giveSlice() : readMore();
  };
}
