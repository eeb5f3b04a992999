import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dpkgLockTimeoutS, logTailLines } from "./limits.ts";
import { findProgram } from "./on-path.ts";
import { withProgress } from "./progress.ts";

const script = join(import.meta.dirname, "apt-install.sh");

/** Installing needs Debian's or Ubuntu's apt-get and root. */
export function canInstall(): boolean {
  return process.platform === "linux" && process.getuid?.() === 0 && findProgram(["apt-get"]) !== undefined;
}

/** Installs Debian packages; no daemon of theirs is started. Throws with apt's last lines. */
export async function install(packages: readonly string[]): Promise<void> {
  await withProgress(`Installing ${packages.join(", ")} with apt-get`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "backplane-apt-"));
    try {
      await runScript(packages, join(folder, "log"));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

async function runScript(packages: readonly string[], logFile: string): Promise<void> {
  // To a file, not a pipe: apt-get must come to its end even when this process does not.
  const log = openSync(logFile, "w");
  try {
    const child = spawn("/bin/sh", [script, String(dpkgLockTimeoutS), ...packages], {
      stdio: ["ignore", log, log],
    });
    const [code] = await once(child, "exit");
    if (code === 0) return;
    const tail = readFileSync(logFile, "utf8").trimEnd().split("\n").slice(-logTailLines).join("\n");
    throw new Error(`apt-get could not install ${packages.join(", ")}:\n${tail}`);
  } finally {
    closeSync(log);
  }
}
