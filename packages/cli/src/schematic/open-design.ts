import { readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type Design, readDesign } from "@backplane/kicad/schematic";
import { FileFault, MAX_CHARACTERS } from "@backplane/kicad/sexpr";
import { type Refusal, refuse } from "../refusal.ts";
import { plain } from "../text.ts";

/** What `read` makes of the text of a KiCad file, or why it cannot be read. `path` is the whole path of the file. */
export function openKicadFile<Read>(
  host: NodeJS.Process,
  file: string,
  read: (text: string, path: string) => Read,
): Read | Refusal {
  const path = resolve(host.cwd(), file);
  const text = readText(path);
  if (text === undefined) return refuse("file-unreadable", `${plain(file)} cannot be read.`, "Check its name.");
  try {
    return read(text, path);
  } catch (fault) {
    if (!(fault instanceof FileFault)) throw fault;
    return refuse("bad-file", `${plain(file)}: ${plain(fault.message)}.`);
  }
}

/** The design whose root sheet is `file`, or why it cannot be read. */
export const openDesign = (host: NodeJS.Process, file: string): Design | Refusal =>
  openKicadFile(host, file, (_, path) => readDesign(basename(path), (name) => readText(join(dirname(path), name))));

function readText(path: string): string | undefined {
  try {
    const info = statSync(path);
    return info.isFile() && info.size <= MAX_CHARACTERS ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}
