import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { Problem } from "@backplane/kit/problems";
import type { PasteFileName, Pastes } from "../services.ts";

/** A file may be renamed between asking for its path and opening it. */
const TRIES = 3;
const GONE = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);

/** Opens a file under its current name. The open file stays the same even if it is then renamed or replaced. */
export async function openPasteFile(
  pastes: Pick<Pastes, "fileOf">,
  id: string,
  file: PasteFileName,
): Promise<{ path: string; bytes: number; handle: FileHandle }> {
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const path = await pastes.fileOf(id, file);
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error) => {
      if (GONE.has(error.code)) return undefined;
      throw error;
    });
    if (handle === undefined) continue;
    const stats = await handle.stat();
    if (stats.isFile()) return { path, bytes: stats.size, handle };
    await handle.close();
    break;
  }
  throw new Problem("paste-gone", { detail: "Its files were moved or deleted." });
}
