import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { Problem } from "@backplane/kit/problems";
import type { PasteFileName, Pastes } from "../services.ts";

/** A name that was just given up is asked for once more, and that once. */
const TRIES = 3;
/** What is not there under this name, or is no file of ours any more. */
const GONE = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);

/**
 * Opens a file as it is called now. What is open stays what it is, whatever becomes of the name: a smaller file may be
 * put in its place, or another name given, at any moment.
 */
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
    const facts = await handle.stat();
    if (facts.isFile()) return { path, bytes: facts.size, handle };
    await handle.close();
    break;
  }
  throw new Problem("paste-gone", { detail: "Somebody moved or removed its files." });
}
