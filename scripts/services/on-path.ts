import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The first of the named programs found in the folders of PATH, then in `alsoIn`. */
export function findProgram(names: readonly string[], alsoIn: readonly string[] = []): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), ...alsoIn];
  for (const name of names) {
    for (const folder of folders) {
      const path = join(folder, name);
      if (folder !== "" && isProgram(path)) return path;
    }
  }
  return undefined;
}

/** Debian keeps PostgreSQL's server programs off PATH, in one folder per version: newest first. */
export function debianPostgresFolders(root = "/usr/lib/postgresql"): string[] {
  try {
    return readdirSync(root)
      .filter((version) => /^\d+$/.test(version))
      .sort((a, b) => Number(b) - Number(a))
      .map((version) => join(root, version, "bin"));
  } catch {
    return [];
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
