import { randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

const READABLE_BY_ALL = 0o666;

/**
 * Replaces a file: after a crash it has its old content or its new one, never a part of it. The content is on the disk
 * when this returns; a power cut may still undo the rename, unless `syncFolder` is called too. A mode is the file's, whatever
 * the umask.
 */
export async function writeFileAtomically(
  path: string,
  content: string | Uint8Array | readonly Uint8Array[],
  mode?: number,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}-${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, "wx", mode ?? READABLE_BY_ALL);
    try {
      if (mode !== undefined) await file.chmod(mode);
      if (typeof content === "string") await file.writeFile(content);
      else await writePieces(file, content instanceof Uint8Array ? [content] : content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * In one call: nginx takes up to half as long again to send a file that was written piece by piece, because the system keeps it
 * in smaller parts. Without joining them first: memory for the whole of a large file would make the collector look through all
 * of the heap.
 */
export async function writePieces(file: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  const size = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const { bytesWritten } = size === 0 ? { bytesWritten: 0 } : await file.writev(pieces);
  // A disk that is nearly full takes a part of it; the rest then fails with the reason, or fits after all.
  if (bytesWritten < size) await file.writeFile(Buffer.concat(pieces).subarray(bytesWritten));
}

/** Makes renames and removals in a folder survive a power cut. Windows has nothing like it. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
