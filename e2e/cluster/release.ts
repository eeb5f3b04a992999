import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { ROOT } from "../support/backplane.ts";
import type { ProgramOf } from "../support/restartable.ts";

/** What people run before they upgrade to this version. Change it when a release is made. */
export const LAST_RELEASE = "2d45d8a0fc41f581abd9550a235c27784b3e9f33";

/** Errors that callers see while its processes stop, and that processes of this version no longer cause. */
export const ERRORS_OF_LAST_RELEASE: readonly string[] = [
  "409 no-browser-session",
  "502 of nginx",
  "504 outcome-unknown",
];

export type Release = {
  programOf: ProgramOf;
  /** `backplane`, to run with Node. */
  command: string;
};

const RELEASES = join(ROOT, ".cache/releases");

const run = promisify(execFile);
const git = (...args: string[]) => run("git", ["-C", ROOT, ...args]);

/** Why this commit cannot be built here; undefined if it can. */
export async function missingRelease(commit: string): Promise<string | undefined> {
  try {
    await git("cat-file", "-e", `${commit}^{commit}`);
    return undefined;
  } catch {
    return `There is no commit ${commit} here. Use a clone with its history: git fetch --unshallow`;
  }
}

/** An earlier version, from its own sources, built by its own scripts. Kept for the next run. */
export async function buildRelease(commit: string): Promise<Release> {
  const { stdout } = await git("rev-parse", `${commit}^{commit}`);
  const folder = join(RELEASES, stdout.trim());
  if (!existsSync(folder)) await unpack(stdout.trim(), folder);
  const importOf = (path: string) => import(pathToFileURL(join(folder, path)).href);
  const { ensureInstalled, ensureBuilt } = await importOf("scripts/bootstrap.mjs");
  await ensureInstalled({ withDev: false });
  await ensureBuilt();
  const { builtProgram } = await importOf("packages/cli/bin/built.js");
  return { programOf: builtProgram, command: join(folder, "packages/cli/bin/backplane.js") };
}

/** With our packages, so that its scripts install only if theirs were different. */
async function unpack(commit: string, folder: string): Promise<void> {
  const half = `${folder}.half`;
  await rm(half, { recursive: true, force: true });
  await mkdir(half, { recursive: true });
  await git("archive", "--format=tar", `--output=${join(half, "sources.tar")}`, commit);
  await run("tar", ["-xf", "sources.tar"], { cwd: half });
  await rm(join(half, "sources.tar"));
  const packages = (await readdir(join(half, "packages"))).map((name) => `packages/${name}/node_modules`);
  for (const installed of ["node_modules", ...packages]) {
    if (existsSync(join(ROOT, installed))) await run("cp", ["-al", join(ROOT, installed), join(half, installed)]);
  }
  // Written in place, and a hard link would be written here, too.
  await rm(join(half, "node_modules/.backplane-install"), { force: true });
  await rename(half, folder);
}
