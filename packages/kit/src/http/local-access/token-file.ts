import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { makePrivateFolder } from "../../folder.ts";

const TOKEN_BYTES = 32;
/** Also one that its owner has chosen, if it cannot be guessed. */
const TOKEN_PATTERN = /^[\x21-\x7e]{32,256}$/;
const OWNER_ONLY = 0o600;

/**
 * The token in the file; made at the first start, with the name of who asks for it in it. Its prefix is one that is
 * scrubbed from everything that is printed.
 */
export function readOrMakeToken(path: string, name: string, randomBytes: (size: number) => Buffer): string {
  const kept = read(path);
  if (kept !== undefined) {
    chmodSync(path, OWNER_ONLY);
    return kept;
  }
  const made = `tok_${name}_${randomBytes(TOKEN_BYTES).toString("base64url")}`;
  makePrivateFolder(dirname(path));
  // What may be there holds no token: a file left empty by a full disk.
  rmSync(path, { force: true });
  writeFileSync(path, `${made}\n`, { flag: "wx", mode: OWNER_ONLY });
  return made;
}

function read(path: string): string | undefined {
  try {
    const text = readFileSync(path, "utf8").trim();
    return TOKEN_PATTERN.test(text) ? text : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
