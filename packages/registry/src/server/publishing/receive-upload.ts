import { createHash, randomUUID } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";

/** An archive on the disk, gone when it is disposed. */
export type Upload = AsyncDisposable & { file: string; size: number; sha256: string };

/** Where uploads are while they are looked at. */
export const uploadsFolder = (home: string): string => join(home, "uploads");

/** Ends the name of what is being received; see `sweepOrphans`. */
export const UPLOAD_SUFFIX = ".upload";

/** Streams a body to a file of its own. Whatever goes wrong, nothing is left. */
export async function receiveUpload(
  body: Readable,
  folder: string,
  maxBytes: number,
): Promise<Upload | "too-large" | "cut-off"> {
  const file = join(folder, `${randomUUID()}${UPLOAD_SUFFIX}`);
  await using discarded = new AsyncDisposableStack();
  discarded.defer(() => rm(file, { force: true }));
  const hash = createHash("sha256");
  let size = 0;
  {
    await using handle = await open(file, "wx", 0o600);
    const pieces = body.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]();
    // Lets go of the body, so that whoever answers can read the rest of it into nothing.
    await using letGo = new AsyncDisposableStack();
    letGo.defer(async () => void (await pieces.return?.()));
    for (;;) {
      const piece = await nextOf(pieces);
      if (piece === "cut-off") return "cut-off";
      if (piece === undefined) break;
      size += piece.length;
      if (size > maxBytes) return "too-large";
      hash.update(piece);
      await handle.writeFile(piece);
    }
  }
  const kept = discarded.move();
  return { file, size, sha256: hash.digest("hex"), [Symbol.asyncDispose]: () => kept.disposeAsync() };
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
