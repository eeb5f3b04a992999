import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const BIN = fileURLToPath(new URL("../bin/backplane.js", import.meta.url));

/** Runs the command in an empty folder. */
export function backplane(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const cwd = mkdtempSync(join(tmpdir(), "cli-"));
  try {
    const { PATH } = process.env;
    return spawnSync(process.execPath, [BIN, ...args], { cwd, env: { PATH, HOME: cwd, ...env }, encoding: "utf8" });
  } finally {
    rmSync(cwd, { recursive: true });
  }
}
