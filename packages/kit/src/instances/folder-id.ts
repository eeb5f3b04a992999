import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makePrivateFolder } from "../folder.ts";

/** The same for everybody who uses the folder, from whatever machine and under whatever path. */
export function folderId(folder: string): string {
  makePrivateFolder(folder);
  const file = join(folder, ".id");
  const own = `${file}.${randomUUID()}`;
  try {
    writeFileSync(own, randomUUID(), { mode: 0o600, flag: "wx" });
    linkSync(own, file);
  } catch {
    // It has one. A folder that cannot be written either has one or cannot be used anyway.
  } finally {
    rmSync(own, { force: true });
  }
  return readFileSync(file, "utf8");
}
