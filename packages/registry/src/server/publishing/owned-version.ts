import type { Database } from "@backplane/kit/database";
import { Problem } from "@backplane/kit/problems";
import { type Static, Type } from "typebox";
import { readVersionKey, type VersionNumber } from "../../versions/version-numbers.ts";
import type { RegistryTables } from "../tables.ts";
import { unpublishedProblem } from "../unpublished.ts";
import type { PublishingOptions } from "./options.ts";
import { notYoursSentence } from "./refusals.ts";
import { identifierKey } from "./rows.ts";

export const VersionParams = Type.Object({
  identifier: Type.String({ maxLength: 100 }),
  version: Type.String({ maxLength: 40 }),
});

/** Nothing else can be listed, and PostgreSQL refuses text with NUL. */
const IDENTIFIER = /^[-a-zA-Z0-9.]+$/;

/** A version that a user may change: whether it exists is for the statement to say that changes it. */
type OwnedVersion = { identifier: string; identifier_key: string; owner_id: string; number: VersionNumber };

export async function findOwned(
  { database, owners }: Pick<PublishingOptions, "database" | "owners">,
  userId: string,
  named: Static<typeof VersionParams>,
): Promise<OwnedVersion> {
  if (!IDENTIFIER.test(named.identifier)) throw new Problem("package-unknown");
  const identifier_key = identifierKey(named.identifier);
  const listed = await database.durable
    .selectFrom("registry_packages")
    .select(["identifier", "owner_id"])
    .where("identifier_key", "=", identifier_key)
    .executeTakeFirst();
  if (!listed) throw new Problem("package-unknown");
  if (!(await owners.mayAct(userId, listed.owner_id))) {
    throw new Problem("package-not-yours", { detail: notYoursSentence(listed.identifier) });
  }
  const number = readVersionKey(named.version);
  if (!number) throw new Problem("version-unknown");
  return { ...listed, identifier_key, number };
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
