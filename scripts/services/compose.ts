import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { connectTimeoutMs } from "./limits.ts";
import { findProgram } from "./on-path.ts";

export const composeFile = join(import.meta.dirname, "compose.yaml");

/** The docker client alone is common but not enough: an engine has to answer. */
export function dockerAnswers(): boolean {
  const docker = findProgram(["docker"]);
  if (docker === undefined) return false;
  const answer = spawnSync(docker, ["version", "--format", "{{.Server.Version}}"], {
    stdio: "ignore",
    timeout: 5 * connectTimeoutMs,
  });
  return answer.status === 0 && spawnSync(docker, ["compose", "version"], { stdio: "ignore" }).status === 0;
}
