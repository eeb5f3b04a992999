import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { FileFault, MAX_CHARACTERS } from "@backplane/kicad/sexpr";
import { refuse } from "./refusal.ts";
import { type Outcome, type Running, runCommand } from "./run.ts";
import { plain } from "./text.ts";

export type Flags = { json?: boolean };

/** Runs a command about one of KiCad's files. `read` gets its text and its whole path. */
export const withKicadFile = <Read>(
  host: NodeJS.Process,
  { file, read }: { file: string; read: (text: string, path: string) => Read },
  options: Flags,
  work: (read: Read, running: Running) => Promise<Outcome> | Outcome,
): Promise<number> =>
  runCommand(host, options, async (running) => {
    const path = resolve(host.cwd(), file);
    const text = readText(path);
    if (text === undefined) return refuse("file-unreadable", `${plain(file)} cannot be read.`, "Check its name.");
    let found: Read;
    try {
      found = read(text, path);
    } catch (fault) {
      if (!(fault instanceof FileFault)) throw fault;
      return refuse("bad-file", `${plain(file)}: ${plain(fault.message)}.`);
    }
    return work(found, running);
  });

/** Undefined for what is no file, and for what is too large. */
export function readText(path: string): string | undefined {
  try {
    const info = statSync(path);
    return info.isFile() && info.size <= MAX_CHARACTERS ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}
