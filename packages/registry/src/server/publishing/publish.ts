import type { CheckedUpload, CheckNote, PublishedVersion } from "@backplane/contract/registry";
import { Problem } from "@backplane/kit/problems";
import { archiveUrl } from "../catalogue/archive-address.ts";
import type { Candidate, Examined } from "./examine-upload.ts";
import { forgetUpload, rememberUpload } from "./kept-uploads.ts";
import { addVersion } from "./listing.ts";
import type { PublishingOptions } from "./options.ts";
import type { Upload } from "./receive-upload.ts";
import { availabilityNote, availabilityOf, availabilityProblem } from "./refusals.ts";
import { newBlobKey, rowsOf } from "./rows.ts";

type Publisher = {
  userId: string;
  userName: string;
  ownerId: string;
  /** If the package is new. */
  isPrivate: boolean;
};

/** Stores the archive, then lists it, so a listed version always has its archive. Throws a Problem if it is refused. */
export async function publish(
  options: PublishingOptions,
  { userId, userName, ownerId, isPrivate }: Publisher,
  candidate: Candidate,
  upload: Upload,
  warnings: CheckNote[],
): Promise<PublishedVersion> {
  const { database, blobs, owners, quota, now, onFault } = options;
  const { identifier } = candidate.package;
  const mayAct = (owner: string) => owners.mayAct(userId, owner);
  const refuse = async (): Promise<void> => {
    const availability = await availabilityOf(options, { userId, ownerId }, candidate, upload);
    const problem = availabilityProblem(availability, candidate);
    if (problem) throw problem;
  };

  await refuse();
  const blobKey = newBlobKey(candidate);
  await rememberUpload(database, { blobKey, nowMs: now() });
  await blobs.putFile(blobKey, upload.file);
  const rows = rowsOf(candidate, upload, { ownerId, userId, isPrivate, blobKey, nowMs: now() });
  // If this throws, the row may or may not exist; the sweeper decides later.
  const added = await addVersion(database, rows, mayAct, quota);
  if (added !== "added") {
    const discard = async () => {
      await blobs.remove(blobKey);
      await forgetUpload(database, blobKey);
    };
    await discard().catch(onFault);
    await refuse();
    throw new Problem(REFUSALS[added]);
  }
  await options.changed().catch(onFault);
  const listed = await readListed(options, rows.package.identifier_key);
  return {
    identifier,
    version: candidate.version.version,
    version_epoch: rows.version.epoch,
    status: candidate.version.status,
    owner: listed.owner ?? userName,
    private: listed.isPrivate,
    download_url: archiveUrl(options.baseUrl, identifier, candidate.version),
    download_sha256: rows.version.sha256,
    download_size: rows.version.size,
    install_size: rows.version.install_size,
    warnings,
  };
}

/** In case the second check no longer finds a reason. */
const REFUSALS = {
  "version-exists": "version-exists",
  "not-yours": "package-not-yours",
  "other-spelling": "package-not-yours",
  "given-up": "archives-unavailable",
  "quota-reached": "quota-reached",
} as const;

/** Whose package it is and who sees it: both are decided when it is first published. */
async function readListed(
  { database, owners }: PublishingOptions,
  identifierKey: string,
): Promise<{ owner?: string | undefined; isPrivate: boolean }> {
  const row = await database.durable
    .selectFrom("registry_packages")
    .select(["owner_id", "is_private"])
    .where("identifier_key", "=", identifierKey)
    .executeTakeFirst();
  return row ? { owner: await owners.nameOf(row.owner_id), isPrivate: row.is_private === 1 } : { isPrivate: false };
}

/** What publishing would answer, without publishing. */
export async function checkedUpload(
  options: PublishingOptions,
  publisher: Pick<Publisher, "userId" | "ownerId">,
  { archive, candidate, notes }: Examined,
  upload: Upload,
): Promise<CheckedUpload> {
  const { size, sha256 } = upload;
  const measured = {
    download_sha256: sha256,
    download_size: size,
    ...(archive ? { install_size: archive.installSize, file_count: archive.fileCount } : {}),
  };
  if (!candidate) return { publishable: false, ...measured, notes };
  const { package: pkg, version, number } = candidate;
  const availability = await availabilityOf(options, publisher, candidate, upload);
  const note = availabilityNote(availability, candidate);
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
