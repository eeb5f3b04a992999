import { SCHEMATIC_LIMITS } from "@backplane/contract/panels";
import { type Design, itemsOf, readDesign, readSchematic, resolveSheetFile } from "@backplane/kicad/schematic";
import { FileFault } from "@backplane/kicad/sexpr";
import { readBytes } from "@backplane/kit/bounded-body";
import { Problem } from "@backplane/kit/problems";
import { checkPath } from "../files/file-path.ts";
import type { Files, Workspace } from "../services.ts";

const { maxSheetBytes, maxDesignBytes, maxFiles } = SCHEMATIC_LIMITS;

export const refused = (detail: string): Problem => new Problem("schematic-refused", { detail });

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

/** The design whose root sheet is `path`. Sheets that cannot be read are faults of the design. */
export async function openDesign(
  files: Files,
  workspace: Workspace,
  path: string,
): Promise<{ design: Design; etag: string }> {
  const root = await readProjectText(files, workspace, path);
  if (!root) throw new Problem("file-unknown");
  const texts = new Map([[path, root.text]]);
  const asked = new Set([path]);
  let bytes = root.size;
  const waiting = [path];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    for (const sheet of sheetsIn(file, texts.get(file) ?? "")) {
      if (asked.has(sheet) || !checkPath(sheet).ok || asked.size >= maxFiles) continue;
      asked.add(sheet);
      const found = await readProjectText(files, workspace, sheet);
      if (!found) continue;
      bytes += found.size;
      if (bytes > maxDesignBytes) throw refused(`The sheets have more than ${maxDesignBytes / 1_048_576} MB together.`);
      texts.set(sheet, found.text);
      waiting.push(sheet);
    }
  }
  return { design: readOrRefuse(() => readDesign(path, (name) => texts.get(name))), etag: root.etag };
}

function sheetsIn(file: string, text: string): string[] {
  try {
    return itemsOf(readSchematic(text), "sheet").flatMap((sheet) => resolveSheetFile(file, sheet.file) ?? []);
  } catch (fault) {
    if (fault instanceof FileFault) return [];
    throw fault;
  }
}

/** A file that is not as KiCad writes it is refused, with the place of the fault. */
export function readOrRefuse<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (fault) {
    if (fault instanceof FileFault) throw refused(`${fault.message}.`);
    throw fault;
  }
}
