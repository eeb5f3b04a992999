import { SCHEMATIC_LIMITS } from "@backplane/contract/panels";
import { readBytes } from "@backplane/kit/bounded-body";
import { Problem } from "@backplane/kit/problems";
import type { Files, Workspace } from "../services.ts";
import { refused } from "./refused.ts";

const { maxSheetBytes } = SCHEMATIC_LIMITS;

/** The text of a file with every byte of it, and its ETag; undefined when there is no such file. */
export async function readProjectText(
  files: Files,
  workspace: Workspace,
  path: string,
): Promise<{ text: string; etag: string; size: number } | undefined> {
  await using file = await files.open(workspace, path);
  if (!file) return undefined;
  const { size, sha256 } = file;
  if (size > maxSheetBytes) throw refused(`${path} has more than ${maxSheetBytes / 1_048_576} MB.`);
  if (!file.isText) throw refused(`${path} is not text in UTF-8.`);
  const bytes = await readBytes(file.stream(), maxSheetBytes);
  if (!bytes) throw new Problem("file-changed", { detail: "The file is being written. Try again." });
  return { text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), etag: `"${sha256}"`, size };
}
