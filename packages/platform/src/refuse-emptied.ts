import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Database, isEmpty, sqlitePath } from "@backplane/kit/database";
import { StartFault } from "@backplane/kit/process";
import type { Settings } from "@backplane/kit/settings";

/** An empty database beside archives was lost, not new: with fresh tables in it, nobody would notice until later. */
export async function refuseEmptied(database: Database<unknown>, { archives, home }: Settings): Promise<void> {
  if (archives.kind !== "folder" || !holdsFiles(archives.folder) || !(await isEmpty(database))) return;
  const place = database.engine === "sqlite" ? sqlitePath(home) : "at DATABASE_URL";
  throw new StartFault(
    `The database ${place} is empty, but ${archives.folder} holds packages. Nothing was changed. Restore the database from a backup, or move that folder away to start over without them.`,
  );
}

/** At any depth; names that begin with a dot are leftovers of writing. */
function holdsFiles(folder: string): boolean {
  try {
    return readdirSync(folder, { withFileTypes: true }).some(
      (entry) =>
        !entry.name.startsWith(".") &&
        (entry.isFile() || (entry.isDirectory() && holdsFiles(join(folder, entry.name)))),
    );
  } catch {
    // Not there yet.
    return false;
  }
}
