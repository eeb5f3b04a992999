import { SCHEMATIC_LIMITS } from "@backplane/contract/panels";
import { type Design, itemsOf, readDesign, readSchematic, resolveSheetFile } from "@backplane/kicad/schematic";
import { FileFault } from "@backplane/kicad/sexpr";
import { checkPath } from "../files/file-path.ts";
import type { OpenText } from "./desk.ts";
import { readOrRefuse, refused } from "./refused.ts";

const { maxDesignBytes, maxFiles } = SCHEMATIC_LIMITS;

/** A design, with the texts of its files by their names. */
export type OpenedDesign = { design: Design; texts: Map<string, string> };

/** The design whose root sheet is `path`. Sheets that cannot be read are faults of the design. */
export async function openDesign(path: string, root: string, open: OpenText): Promise<OpenedDesign> {
  const texts = new Map([[path, root]]);
  const asked = new Set([path]);
  let bytes = Buffer.byteLength(root);
  const waiting = [path];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    for (const sheet of sheetsIn(file, texts.get(file) ?? "")) {
      if (asked.has(sheet) || !checkPath(sheet).ok || asked.size >= maxFiles) continue;
      asked.add(sheet);
      const found = await open(sheet);
      if (found === undefined) continue;
      bytes += Buffer.byteLength(found);
      if (bytes > maxDesignBytes) throw refused(`The sheets have more than ${maxDesignBytes / 1_048_576} MB together.`);
      texts.set(sheet, found);
      waiting.push(sheet);
    }
  }
  return { design: readOrRefuse(() => readDesign(path, (name) => texts.get(name))), texts };
}

function sheetsIn(file: string, text: string): string[] {
  try {
    return itemsOf(readSchematic(text), "sheet").flatMap((sheet) => resolveSheetFile(file, sheet.file) ?? []);
  } catch (fault) {
    if (fault instanceof FileFault) return [];
    throw fault;
  }
}
