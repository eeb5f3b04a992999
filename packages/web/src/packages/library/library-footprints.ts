import type { DetailedVersion } from "@backplane/contract/registry";
import { openArchive, whyUnread } from "./open-archive.ts";

export type PackagedFootprint = { libId: string; read(): Promise<Uint8Array<ArrayBuffer>> };

/** The footprints of a library package: their names at once, each file when it is looked at. */
export async function listPackagedFootprints(
  version: DetailedVersion,
  signal: AbortSignal,
): Promise<{ items: PackagedFootprint[]; fault?: string }> {
  try {
    const { entries, read } = await openArchive(version, signal);
    const files = entries.filter(({ path }) => /\.kicad_mod$/i.test(path));
    return { items: files.map((entry) => ({ libId: footprintId(entry.path), read: () => read(entry) })) };
  } catch (error) {
    return { items: [], fault: whyUnread(error) };
  }
}

/** "footprints/Resistors.pretty/R_0805.kicad_mod" → "Resistors:R_0805", as KiCad writes it. */
export function footprintId(path: string): string {
  const [file = "", folder] = path.split("/").reverse();
  const name = file.replace(/\.kicad_mod$/i, "");
  return folder === undefined ? name : `${folder.replace(/\.pretty$/i, "")}:${name}`;
}
