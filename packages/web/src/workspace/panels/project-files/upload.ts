import { PANELS_LIMITS } from "@backplane/contract/panels";
import { faultWords } from "../../../calls/fault-words.ts";
import { counted } from "../../../parts/words.ts";
import type { WorkspaceName } from "../../calls.ts";
import { writeFile } from "./file-calls.ts";
import { sizeWords } from "./paths.ts";

export type Uploaded = {
  saved: string[];
  /** The project has files of these names. They were not replaced. */
  existing: File[];
  faults: string[];
};

/** Saves files in the project, one after the other. With `replace`, also those that it has. */
export async function uploadFiles(
  project: WorkspaceName,
  files: readonly File[],
  { replace = false }: { replace?: boolean } = {},
  fetch = globalThis.fetch,
): Promise<Uploaded> {
  const uploaded: Uploaded = { saved: [], existing: [], faults: [] };
  for (const file of files) {
    const bytes = file.size > PANELS_LIMITS.maxFileBytes ? "too-large" : await bytesOf(file);
    if (bytes === "too-large") {
      uploaded.faults.push(`${file.name} has more than ${sizeWords(PANELS_LIMITS.maxFileBytes)}.`);
    } else if (bytes === "unreadable") {
      uploaded.faults.push(`${file.name} cannot be read. A folder is uploaded file by file.`);
    } else {
      const written = await writeFile(project, file.name, bytes, replace ? "existing" : "absent", fetch);
      if (written.kind === "written") uploaded.saved.push(file.name);
      else if (written.kind === "changed") uploaded.existing.push(file);
      else uploaded.faults.push(`${file.name}: ${faultWords(written.fault)}`);
    }
  }
  return uploaded;
}

/** A folder that was dropped looks like a file, but cannot be read. */
const bytesOf = (file: File): Promise<Uint8Array<ArrayBuffer> | "unreadable"> =>
  file.arrayBuffer().then(
    (buffer) => new Uint8Array(buffer),
    () => "unreadable" as const,
  );

/** "Saved a.txt.", "Saved 3 files." */
export const savedWords = (saved: readonly string[]): string =>
  `Saved ${saved.length === 1 ? saved[0] : counted(saved.length, "file")}.`;

/** "a.txt exists already.", "3 files exist already." */
export const existingWords = (existing: readonly File[]): string =>
  existing.length === 1 ? `${existing[0]?.name} exists already.` : `${existing.length} files exist already.`;
