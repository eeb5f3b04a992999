import { open, rm } from "node:fs/promises";
import type { Readable } from "node:stream";

/** Streams a body to a new file, at `path`. Returns how many bytes it has; unless it is whole, nothing is left. */
export async function receiveFile(
  body: Readable,
  path: string,
  maxBytes: number,
  look: (piece: Buffer) => void = () => {},
): Promise<number | "too-large" | "cut-off"> {
  await using discarded = new AsyncDisposableStack();
  discarded.defer(() => rm(path, { force: true }));
  let bytes = 0;
  {
    await using handle = await open(path, "wx", 0o600);
    const pieces = body.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]();
    // Lets go of the body, so that whoever answers can read the rest of it into nothing.
    await using letGo = new AsyncDisposableStack();
    letGo.defer(async () => void (await pieces.return?.()));
    for (;;) {
      const piece = await nextOf(pieces);
      if (piece === "cut-off") return "cut-off";
      if (piece === undefined) break;
      bytes += piece.length;
      if (bytes > maxBytes) return "too-large";
      look(piece);
      await handle.writeFile(piece);
    }
  }
  discarded.move();
  return bytes;
}

/** Only reading the sender may fail for the sender's reasons: what fails in writing is ours. */
async function nextOf(pieces: AsyncIterator<Buffer>): Promise<Buffer | undefined | "cut-off"> {
  try {
    const { done, value } = await pieces.next();
    return done ? undefined : value;
  } catch {
    return "cut-off";
  }
}
