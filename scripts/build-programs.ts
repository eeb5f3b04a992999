// Bundles the programs, because they start several times as fast as from source (ADR 18). Prints nothing if all goes well.
import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM_SOURCES } from "../packages/kit/src/process/programs.ts";
import { bundle, NOT_BUNDLED } from "./packing/bundle.ts";
import { dropUnusedSchemas } from "./packing/drop-unused-schemas.ts";
import { importNoMore, startNoCommands } from "./packing/quick-start.ts";
import { thirdPartyNotices } from "./packing/third-party-notices.ts";

const [inputs] = process.argv.slice(2);
if (inputs === undefined) throw new Error("Usage: build-programs.ts HASH_OF_INPUTS");

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
/** Older builds are kept: a Backplane that is still running may load a part of one. */
const KEPT_BUILDS = 3;
/** Started by programs, from the file of this name next to them. */
const THREADS = {
  "schematic-thread": "packages/panels/src/schematics/schematic-thread.ts",
  "media-thread": "packages/devices/src/streams/media-thread.ts",
  "examine-thread": "packages/registry/src/server/publishing/examine-thread.ts",
  "take-archives-thread": "packages/registry/src/repository/building/take-archives-thread.ts",
};

const folder = join(dist, inputs);
const { cli, ...servers } = PROGRAM_SOURCES;

rmSync(folder, { recursive: true, force: true });
// The command by itself: what the servers need of a file that they share, such as its schemas, is then not in it.
await Promise.all([
  bundle({ ...servers, ...THREADS }, { folder, plugins: [thirdPartyNotices()] }),
  bundle(
    { cli },
    {
      folder,
      plugins: [dropUnusedSchemas(), startNoCommands, importNoMore, thirdPartyNotices("third-party-notices-cli.txt")],
      // TypeBox does not say so itself, and would be loaded for every file of whose schemas none is used.
      treeshake: { moduleSideEffects: [{ test: /\/node_modules\/typebox\//, sideEffects: false }] },
    },
  ),
]);
// For pack.mjs.
writeFileSync(join(folder, "not-bundled.json"), JSON.stringify(NOT_BUNDLED));

// A command that starts now reads the old name or the new one, never a part.
writeFileSync(join(dist, "current.new"), inputs);
renameSync(join(dist, "current.new"), join(dist, "current"));

const builds = readdirSync(dist, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => ({ path: join(dist, name), atMs: statSync(join(dist, name)).mtimeMs }))
  .sort((a, b) => b.atMs - a.atMs);
for (const { path } of builds.slice(KEPT_BUILDS)) rmSync(path, { recursive: true, force: true });
