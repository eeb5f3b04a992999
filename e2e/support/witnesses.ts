import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./backplane.ts";

const FOLDER = join(ROOT, "e2e/witnesses");
const INSTALL_MS = 10 * 60_000;

/**
 * The path of something of others that checks ours, below `node_modules`. The long tests that need one install them:
 * nobody who only runs `npm test` has to wait for them.
 */
export async function installWitness(path: string): Promise<string> {
  const witness = join(FOLDER, "node_modules", path);
  if (!existsSync(witness)) await install();
  return witness;
}

/** Not `npm ci`, which would remove what another test uses at this moment. */
const install = () =>
  promisify(execFile)("npm", ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: FOLDER,
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ""}` },
    timeout: INSTALL_MS,
  });
