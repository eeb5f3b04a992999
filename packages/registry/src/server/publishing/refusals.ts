import type { CheckNote } from "@backplane/contract/registry";
import { type FieldFault, Problem } from "@backplane/kit/problems";
import { versionKey } from "../../versions/version-numbers.ts";
import { type Candidate, type Examined, fault } from "./examine-upload.ts";
import type { PublishingOptions } from "./options.ts";
import type { Upload } from "./receive-upload.ts";
import { identifierKey } from "./rows.ts";
import { exceeds, quotaSentence, type RegistryQuota, readUsage } from "./usage.ts";

/** Whether a user can publish this identifier and version. */
type Availability =
  | { state: "free" }
  | { state: "version-exists"; isUnpublished: boolean }
  | { state: "not-yours" }
  | { state: "other-spelling"; listed: string }
  | { state: "quota-reached"; quota: RegistryQuota };

/** Checks early what `addVersion` decides in the end. */
export async function availabilityOf(
  { database: { durable }, owners, quota }: Pick<PublishingOptions, "database" | "owners" | "quota">,
  { userId, ownerId }: { userId: string; ownerId: string },
  { package: { identifier }, number: [epoch, major, minor, patch] }: Candidate,
  { size }: Pick<Upload, "size">,
): Promise<Availability> {
  const identifier_key = identifierKey(identifier);
  const listed = await durable
    .selectFrom("registry_packages")
    .select(["identifier", "owner_id"])
    .where("identifier_key", "=", identifier_key)
    .executeTakeFirst();
  if (listed && !(await owners.mayAct(userId, listed.owner_id))) return { state: "not-yours" };
  if (listed && listed.identifier !== identifier) return { state: "other-spelling", listed: listed.identifier };
  const version = await durable
    .selectFrom("registry_versions")
    .select("unpublished_at_ms")
    .where((row) => row.and({ identifier_key, epoch, major, minor, patch }))
    .executeTakeFirst();
  if (version) return { state: "version-exists", isUnpublished: version.unpublished_at_ms !== null };
  const { archiveBytes, ...usage } = await readUsage(durable, listed?.owner_id ?? ownerId);
  const packages = usage.packages + (listed ? 0 : 1);
  const isTooMuch = exceeds({ ...usage, packages, archiveBytes: archiveBytes + size }, quota);
  return isTooMuch ? { state: "quota-reached", quota } : { state: "free" };
}

/** Why an archive is refused, or undefined. */
export function refusalOf({ archive, candidate, notes }: Examined): Problem | undefined {
  const errors = notes.filter(({ level }) => level === "error");
  if (candidate && errors.length === 0) return undefined;
  const [first] = errors;
  const detail = first ? sentence(first) : undefined;
  return new Problem(archive ? "metadata-refused" : "archive-refused", {
    ...(detail === undefined ? {} : { detail }),
    errors: errors.map(fieldFault),
  });
}

/** Why a valid archive cannot be published; undefined if it can. */
export function availabilityNote(
  availability: Availability,
  { package: { identifier }, version }: Candidate,
): CheckNote | undefined {
  switch (availability.state) {
    case "free":
      return undefined;
    case "version-exists":
      return fault("version-exists", "/versions/0/version", existsSentence(version, availability.isUnpublished));
    case "not-yours":
      return fault("not-yours", "/identifier", notYoursSentence(identifier));
    case "other-spelling":
      return fault("other-spelling", "/identifier", `is already listed as ${availability.listed}. Use that spelling.`);
    case "quota-reached":
      return fault("quota-reached", "/identifier", quotaSentence(availability.quota));
  }
}

export function availabilityProblem(availability: Availability, candidate: Candidate): Problem | undefined {
  const note = availabilityNote(availability, candidate);
  if (!note) return undefined;
  if (availability.state === "version-exists") return new Problem("version-exists", { detail: note.message });
  if (availability.state === "not-yours") return new Problem("package-not-yours", { detail: note.message });
  if (availability.state === "quota-reached") return new Problem("quota-reached", { detail: note.message });
  return new Problem("metadata-refused", { detail: sentence(note), errors: [fieldFault(note)] });
}

const existsSentence = (version: Candidate["version"], isUnpublished: boolean): string =>
  isUnpublished
    ? `${versionKey(version)} was unpublished, and its number stays reserved. Raise the version.`
    : `${versionKey(version)} already exists, and published versions never change. Raise the version.`;

export const notYoursSentence = (identifier: string): string =>
  `${identifier} belongs to another publisher. Choose another identifier, or ask its owner to add you to their organisation.`;

/** A Problem has a pointer and a sentence; place, reason and fix go into the sentence. */
function fieldFault(note: CheckNote): FieldFault {
  const { rule, pointer, path, line, column, message, fix } = note;
  const where = line === undefined ? "" : `line ${line}, column ${column ?? 1}: `;
  const likely = fix === undefined ? "" : ` (likely ${fix})`;
  const reason = pointer === undefined ? `${rule}: ` : "";
  return { pointer: pointer ?? path ?? "", message: `${where}${reason}${message}${likely}` };
}

function sentence(note: CheckNote): string {
  const { pointer, message } = fieldFault(note);
  const text = pointer === "" || message.includes(pointer) ? message : `${pointer}: ${message}`;
  return /[.!?)]$/.test(text) ? text : `${text}.`;
}
