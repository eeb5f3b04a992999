import type { Database } from "@backplane/kit/database";
import { Problem } from "@backplane/kit/problems";
import { type Static, Type } from "typebox";
import { readVersionKey, type VersionNumber } from "../../versions/version-numbers.ts";
import type { RegistryTables } from "../tables.ts";
import { unpublishedProblem } from "../unpublished.ts";
import type { PublishingOptions } from "./options.ts";
import { notYoursSentence } from "./refusals.ts";
import { identifierKey } from "./rows.ts";

export const PackageParams = Type.Object({ identifier: Type.String({ maxLength: 100 }) });
export const VersionParams = Type.Object({
  ...PackageParams.properties,
  version: Type.String({ maxLength: 40 }),
});

/** What a change of an own package can be answered with, and of one of its versions. */
export const OWNED_PACKAGE_PROBLEMS = ["package-unknown", "package-not-yours", "too-many-requests"] as const;
export const OWNED_VERSION_PROBLEMS = [
  ...OWNED_PACKAGE_PROBLEMS,
  ...(["version-unknown", "version-unpublished"] as const),
] as const;

/** Nothing else can be listed, and PostgreSQL refuses text with NUL. */
const IDENTIFIER = /^[-a-zA-Z0-9.]+$/;

/** A version that a user may change: whether it exists is for the statement to say that changes it. */
type OwnedVersion = {
  identifier: string;
  identifier_key: string;
  owner_id: string;
  isPrivate: boolean;
  number: VersionNumber;
};

export async function findOwned(
  options: Pick<PublishingOptions, "database" | "owners">,
  userId: string,
  named: Static<typeof VersionParams>,
): Promise<OwnedVersion> {
  const owned = await findOwnedPackage(options, userId, named.identifier);
  const number = readVersionKey(named.version);
  if (!number) throw new Problem("version-unknown");
  return { ...owned, number };
}

export async function findOwnedPackage(
  { database, owners }: Pick<PublishingOptions, "database" | "owners">,
  userId: string,
  identifier: string,
): Promise<Omit<OwnedVersion, "number">> {
  if (!IDENTIFIER.test(identifier)) throw new Problem("package-unknown");
  const identifier_key = identifierKey(identifier);
  const listed = await database.durable
    .selectFrom("registry_packages")
    .select(["identifier", "owner_id", "is_private"])
    .where("identifier_key", "=", identifier_key)
    .executeTakeFirst();
  if (!listed) throw new Problem("package-unknown");
  const { is_private, ...named } = listed;
  const isPrivate = is_private === 1;
  if (!(await owners.mayAct(userId, listed.owner_id))) {
    if (isPrivate) throw new Problem("package-unknown");
    throw new Problem("package-not-yours", { detail: notYoursSentence(listed.identifier) });
  }
  return { ...named, identifier_key, isPrivate };
}

/** Why a version could not be changed. */
export async function missingProblem(
  { durable }: Database<RegistryTables>,
  { identifier_key, number: [epoch, major, minor, patch] }: Pick<OwnedVersion, "identifier_key" | "number">,
): Promise<Problem> {
  const row = await durable
    .selectFrom("registry_versions")
    .select(["unpublished_at_ms", "unpublished_reason"])
    .where((version) => version.and({ identifier_key, epoch, major, minor, patch }))
    .executeTakeFirst();
  if (!row || row.unpublished_at_ms === null) return new Problem("version-unknown");
  return unpublishedProblem({ reason: row.unpublished_reason ?? "", atMs: row.unpublished_at_ms });
}
