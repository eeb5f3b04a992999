import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runLineHere } from "./run-here.suite.ts";

const BIN = fileURLToPath(new URL("../bin/backplane.js", import.meta.url));

/** Runs the command in an empty folder, as a process of its own. */
export function backplane(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const cwd = mkdtempSync(join(tmpdir(), "cli-"));
  try {
    const { PATH } = process.env;
    return spawnSync(process.execPath, [BIN, ...args], { cwd, env: { PATH, HOME: cwd, ...env }, encoding: "utf8" });
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

/** The same in this process. */
export async function backplaneHere(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const cwd = mkdtempSync(join(tmpdir(), "cli-"));
  try {
    const { PATH } = process.env;
    return await runLineHere({ cwd, env: { PATH, HOME: cwd, ...env } }, args);
  } finally {
    rmSync(cwd, { recursive: true });
  }
}
