import type { DetailedVersion } from "@backplane/contract/registry";
import { FileFault } from "@backplane/kicad/sexpr";
import { type ArchiveEntry, ArchiveFault, listArchive, type ReadRange, readEntry } from "@backplane/kit/remote-archive";

export type OpenArchive = {
  entries: readonly ArchiveEntry[];
  read(entry: ArchiveEntry): Promise<Uint8Array<ArrayBuffer>>;
};

const PARTIAL_CONTENT = 206;

/** The archive of a version, which is read a part at a time without installing it. Throws an ArchiveFault. */
export async function openArchive(version: DetailedVersion, signal: AbortSignal): Promise<OpenArchive> {
  const url = URL.parse(version.download_url, location.href);
  // This page may not ask other sites.
  if (url?.origin !== location.origin) throw new ArchiveFault("The archive of this package is on another site.");
  const read: ReadRange = async (start, end) => {
    if (end <= start) return new Uint8Array();
    const headers = { range: `bytes=${start}-${end - 1}` };
    const response = await fetch(url, { headers, signal, credentials: "same-origin" });
    if (response.status !== PARTIAL_CONTENT) throw new ArchiveFault("The archive cannot be read now.");
    return response.bytes();
  };
  const entries = await listArchive(read, version.download_size);
  return { entries, read: (entry) => readEntry(read, entry) };
}

/** Why an archive, or a file in it, cannot be read. Throws what is not a reason for people. */
export function whyUnread(error: unknown): string {
  if (error instanceof ArchiveFault || error instanceof FileFault) return error.message;
  if (error instanceof TypeError) return "Backplane does not answer.";
  throw error;
}
