import type { CheckedUpload } from "@backplane/contract/registry";
import type { Examined } from "./examine-upload.ts";
import type { PublishingOptions } from "./options.ts";
import type { Upload } from "./receive-upload.ts";
import { standingNote } from "./refusals.ts";
import { standingOf } from "./standing.ts";

/** What publishing would say, without doing it. */
export async function checkedUpload(
  { database, owners }: Pick<PublishingOptions, "database" | "owners">,
  userId: string,
  { archive, candidate, notes }: Examined,
  { size, sha256 }: Upload,
): Promise<CheckedUpload> {
  const measured = {
    download_sha256: sha256,
    download_size: size,
    ...(archive ? { install_size: archive.installSize, file_count: archive.files.length } : {}),
  };
  if (!candidate) return { publishable: false, ...measured, notes };
  const { package: pkg, version, number } = candidate;
  const standing = await standingOf(database, { identifier: pkg.identifier, number }, (owner) =>
    owners.mayAct(userId, owner),
  );
  const note = standingNote(standing, candidate);
  const all = note ? [...notes, note] : notes;
  return {
    publishable: all.every(({ level }) => level !== "error"),
    identifier: pkg.identifier,
    name: pkg.name,
    version: version.version,
    version_epoch: number[0],
    ...measured,
    notes: all,
  };
}
