import { readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type Design, readDesign } from "@backplane/kicad/schematic";
import { FileFault, MAX_CHARACTERS } from "@backplane/kicad/sexpr";
import { type Refusal, refuse } from "../refusal.ts";
import { plain } from "../text.ts";

/** The design whose root sheet is `file`, or why it cannot be read. */
export function openDesign(host: NodeJS.Process, file: string): Design | Refusal {
  const path = resolve(host.cwd(), file);
  if (readText(path) === undefined)
    return refuse("file-unreadable", `${plain(file)} cannot be read.`, "Check its name.");
  try {
    return readDesign(basename(path), (name) => readText(join(dirname(path), name)));
  } catch (fault) {
    if (!(fault instanceof FileFault)) throw fault;
    return refuse("bad-file", `${plain(file)}: ${plain(fault.message)}.`);
  }
}

function readText(path: string): string | undefined {
  try {
    const info = statSync(path);
    return info.isFile() && info.size <= MAX_CHARACTERS ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}
