import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type CheckNote,
  lintPackage,
  readPackage,
  type UnpackedPanel,
  unpackPanel,
} from "@backplane/registry/authoring";
import { openSource } from "../../pkg/publish.ts";
import { isRefusal, type Refusal } from "../../refusal.ts";

export type CheckedPanel = AsyncDisposable & {
  file: string;
  archive: Blob;
  panel: UnpackedPanel | undefined;
  /** Without errors if there is a panel. */
  notes: CheckNote[];
};

/** Packs a folder into a temporary archive and checks it, as the registry and workspaces do. */
export async function checkPanel(folder: string): Promise<CheckedPanel | (Refusal & AsyncDisposable)> {
  const source = await openSource(folder);
  if (isRefusal(source)) return source;
  const bytes = Buffer.from(await source.archive.arrayBuffer());
  const unpacked = await unpackPanel(bytes, ["tool", "kicad"]);
  const isFine = !("faults" in unpacked);
  return {
    ...{ file: source.file, archive: source.archive },
    panel: isFine ? unpacked : undefined,
    notes: isFine ? await warningsIn(folder) : unpacked.faults,
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  };
}

/** An archive was checked when it was packed. */
async function warningsIn(folder: string): Promise<CheckNote[]> {
  const text = await readFile(join(folder, "metadata.json"), "utf8").catch(() => undefined);
  if (text === undefined) return [];
  const read = readPackage(text, {});
  return "faults" in read ? read.faults : [...read.notes, ...lintPackage(text, read.package, { brand: read.brand })];
}
