// `npm run update-dependencies`: raises the pinned versions in all package.json files, runs the tests, lists the changes.
import { execFileSync, spawnSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Manifest, type Outdated, planUpdates, raiseVersions, type Update } from "./update/plan-updates.ts";

const HELP = `npm run update-dependencies             raise within the same major version, run npm test, list what changed
npm run update-dependencies -- --major  also across major versions (read the release notes first)
npm run update-dependencies -- --list   only list what could be raised`;

const root = join(import.meta.dirname, "..");
const npm =
  process.env.npm_execpath ?? execFileSync("sh", ["-c", "readlink -f $(command -v npm)"], { encoding: "utf8" }).trim();

function main(args: readonly string[]): number {
  if (args.includes("--help")) {
    console.log(HELP);
    return 0;
  }
  const files = ["package.json", ...globSync("packages/*/package.json", { cwd: root })];
  const updates = planUpdates(readOutdated(), { acrossMajors: args.includes("--major") });
  printUpdates(updates);
  if (updates.length === 0 || args.includes("--list")) return 0;

  for (const file of files) {
    const text = readFileSync(join(root, file), "utf8");
    const raised = raiseVersions(JSON.parse(text) as Manifest, updates);
    writeFileSync(join(root, file), `${JSON.stringify(raised, undefined, 2)}\n`);
  }
  // With the project's own Node: an older one makes npm choose older versions.
  if (run([npm, "install", "--no-audit", "--no-fund"]) !== 0) return failed("npm install");
  if (run([join(root, "scripts/test.mjs")]) !== 0) return failed("npm test");
  printUpdates(updates);
  console.log("The tests pass. Commit package.json, packages/*/package.json and package-lock.json.");
  return 0;
}

/** npm exits with 1 when there is something to update, so its exit code says nothing. */
function readOutdated(): Outdated {
  const args = [npm, "outdated", "--json", "--workspaces", "--include-workspace-root"];
  const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  return JSON.parse(stdout === "" ? "{}" : stdout) as Outdated;
}

const run = (args: readonly string[]): number =>
  spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" }).status ?? 1;

function failed(step: string): number {
  console.error(
    `${step} failed with the new versions. Fix what they changed, or undo with: git checkout -- . && npm ci`,
  );
  return 1;
}

function printUpdates(updates: readonly Update[]): void {
  if (updates.length === 0) console.log("Every dependency has the newest version that was asked for.");
  for (const { name, from, to, isMajor } of updates) {
    console.log(`${name.padEnd(36)} ${from.padStart(10)} → ${to}${isMajor ? "  (major)" : ""}`);
  }
}

process.exitCode = main(process.argv.slice(2));
