import { createHash, randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { receiveFile } from "@backplane/kit/http";

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
  const hash = createHash("sha256");
  const size = await receiveFile(body, file, maxBytes, (piece) => hash.update(piece));
  if (typeof size !== "number") return size;
  const remove = () => rm(file, { force: true });
  return { file, size, sha256: hash.digest("hex"), [Symbol.asyncDispose]: remove };
}
