import type { Database } from "@backplane/kit/database";
import type { VersionNumber } from "../../versions/version-number.ts";
import type { RegistryTables } from "../tables.ts";
import { identifierKey } from "./rows.ts";

/** How an identifier and a version stand to what is listed, for one person. */
export type Standing =
  | { state: "free" }
  | { state: "version-exists" }
  | { state: "not-yours" }
  | { state: "other-spelling"; listed: string };

/** Tells early, and in words, what `addVersion` decides. */
export async function standingOf(
  { durable }: Database<RegistryTables>,
  { identifier, number: [epoch, major, minor, patch] }: { identifier: string; number: VersionNumber },
  mayAct: (ownerId: string) => Promise<boolean>,
): Promise<Standing> {
  const identifier_key = identifierKey(identifier);
  const listed = await durable
    .selectFrom("registry_packages")
    .select(["identifier", "owner_id"])
    .where("identifier_key", "=", identifier_key)
    .executeTakeFirst();
  if (!listed) return { state: "free" };
  if (!(await mayAct(listed.owner_id))) return { state: "not-yours" };
  if (listed.identifier !== identifier) return { state: "other-spelling", listed: listed.identifier };
  const version = await durable
    .selectFrom("registry_versions")
    .select("status")
    .where((row) => row.and({ identifier_key, epoch, major, minor, patch }))
    .executeTakeFirst();
  return { state: version ? "version-exists" : "free" };
}
