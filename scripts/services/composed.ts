import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { composeFile } from "./compose.ts";
import { type Kept, keep } from "./kept.ts";

/** One service of compose.yaml on the given port, in its own compose project, which is removed at the end. */
export function keepComposed(service: string, port: number): Kept {
  const folder = mkdtempSync(join(tmpdir(), `backplane-${service}-`));
  const project = basename(folder).toLowerCase();
  const compose = ["compose", "--file", composeFile, "--project-name", project];
  return keep({
    command: "docker",
    args: [...compose, "up", "--no-color", service],
    folder,
    env: { [`${service.toUpperCase()}_PORT`]: String(port) },
    endSignal: "SIGTERM",
    afterwards: ["docker", ...compose, "down", "--volumes", "--timeout", "1"],
  });
}
