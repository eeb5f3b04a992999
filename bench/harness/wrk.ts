import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { canInstall, install } from "../../scripts/services/apt.ts";
import { findProgram } from "../../scripts/services/on-path.ts";
import { BenchFault } from "./fault.ts";
import type { HttpRequest } from "./http-request.ts";
import { connections, loadGraceMs } from "./limits.ts";
import type { LoadResult, LoadTarget } from "./load.ts";
import { parseWrk } from "./wrk-output.ts";
import { wrkScript } from "./wrk-script.ts";

const execute = promisify(execFile);

/** One thread: the other core is the server's. */
const THREADS = 1;

export async function runWrk(request: HttpRequest, { url, seconds, signal }: LoadTarget): Promise<LoadResult> {
  const program = await findWrk();
  const folder = mkdtempSync(join(tmpdir(), "backplane-wrk-"));
  try {
    const script = join(folder, "request.lua");
    writeFileSync(script, wrkScript(request));
    const size = [`-t${THREADS}`, `-c${connections}`, `-d${seconds}s`];
    const args = [...size, "--latency", "-s", script, new URL(request.path, url).href];
    const { stdout } = await execute(program, args, { signal, timeout: seconds * 1_000 + loadGraceMs });
    return parseWrk(stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function findWrk(): Promise<string> {
  const here = findProgram(["wrk"]);
  if (here !== undefined) return here;
  if (canInstall()) await install(["wrk"]);
  const installed = findProgram(["wrk"]);
  if (installed !== undefined) return installed;
  throw new BenchFault(
    "The load generator wrk is not on PATH. Install it (Debian: apt-get install wrk) and try again.",
  );
}
