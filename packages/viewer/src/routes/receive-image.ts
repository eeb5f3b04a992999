import { randomUUID } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";

/** An image on the disk. */
export type Received = { path: string; bytes: number };

/** Streams a body to a file of its own. Unless it is whole, nothing is left. */
export async function receiveImage(
  body: Readable,
  folder: string,
  maxBytes: number,
): Promise<Received | "too-large" | "cut-off"> {
  const path = join(folder, `${randomUUID()}.upload`);
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
      await handle.writeFile(piece);
    }
  }
  discarded.move();
  return { path, bytes };
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
