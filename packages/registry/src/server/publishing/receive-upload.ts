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

/** How many uploads run at once: in this process, and by one person. */
export function createUploadSlots({
  maxUploads,
  maxUploadsPerUser,
}: {
  maxUploads: number;
  maxUploadsPerUser: number;
}) {
  const perUser = new Map<string, number>();
  let count = 0;
  /** Undefined: there is no room now. Dispose it when the upload is over. */
  return (userId: string): Disposable | undefined => {
    const own = perUser.get(userId) ?? 0;
    if (count >= maxUploads || own >= maxUploadsPerUser) return undefined;
    count += 1;
    perUser.set(userId, own + 1);
    return {
      [Symbol.dispose]() {
        count -= 1;
        const left = (perUser.get(userId) ?? 1) - 1;
        if (left > 0) perUser.set(userId, left);
        else perUser.delete(userId);
      },
    };
  };
}
