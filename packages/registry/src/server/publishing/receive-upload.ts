import { createHash, randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { receiveFile } from "@backplane/kit/http";

/** An uploaded archive on disk; disposing removes it. */
export type Upload = AsyncDisposable & { file: string; size: number; sha256: string };

/** Uploads are here while they are checked. */
export const uploadsFolder = (home: string): string => join(home, "uploads");

/** The suffix of uploads; the prefix is the process that receives it. See kept-uploads.ts, which removes what is left. */
export const UPLOAD_SUFFIX = ".upload";

/** Streams a body to a new file. If anything goes wrong, nothing is left. */
export async function receiveUpload(
  body: Readable,
  folder: string,
  maxBytes: number,
): Promise<Upload | "too-large" | "cut-off"> {
  const file = join(folder, `${process.pid}-${randomUUID()}${UPLOAD_SUFFIX}`);
  const hash = createHash("sha256");
  const size = await receiveFile(body, file, maxBytes, (piece) => hash.update(piece));
  if (typeof size !== "number") return size;
  const remove = () => rm(file, { force: true });
  return { file, size, sha256: hash.digest("hex"), [Symbol.asyncDispose]: remove };
}

/** Limits simultaneous uploads per process and per user. */
export function createUploadSlots({
  maxUploads,
  maxUploadsPerUser,
}: {
  maxUploads: number;
  maxUploadsPerUser: number;
}) {
  const perUser = new Map<string, number>();
  let count = 0;
  /** Undefined if all slots are taken. Dispose the slot when the upload is over. */
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
