// Bundles the programs, because they start several times as fast as from source (ADR 18). Prints nothing if all goes well.
import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type InputOptions, type Plugin, rolldown } from "rolldown";
import { PROGRAM_SOURCES } from "../packages/kit/src/process/programs.ts";
import { dropUnusedSchemas } from "./packing/drop-unused-schemas.ts";
import { quickStart, startNoCommands } from "./packing/quick-start.ts";
import { thirdPartyNotices } from "./packing/third-party-notices.ts";

const [inputs] = process.argv.slice(2);
if (inputs === undefined) throw new Error("Usage: build-programs.ts HASH_OF_INPUTS");

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
/** Older builds are kept: a Backplane that is still running may load a part of one. */
const KEPT_BUILDS = 3;
/** These look for their own files, are read as files, are compiled for this machine, or are large and rarely needed. */
const NOT_BUNDLED = ["@mdi/js", "@napi-rs/image", "@tesseract.js-data/eng", "@zumer/snapdom", "sharp", "tesseract.js"];
/** Started by programs, from the file of this name next to them. */
const THREADS = {
  "schematic-thread": "packages/panels/src/schematics/schematic-thread.ts",
  "media-thread": "packages/devices/src/streams/media-thread.ts",
  "examine-thread": "packages/registry/src/server/publishing/examine-thread.ts",
  "take-archives-thread": "packages/registry/src/repository/building/take-archives-thread.ts",
};

/** Sources find their assets by `import.meta.url`, so it must refer to the source in a build too. Threads are built. */
const keepSourceAddresses: Plugin = {
  name: "keep-source-addresses",
  transform: {
    filter: { id: /packages\/[^/]+\/src\/.*\.ts$/, code: "import.meta.url" },
    handler: (code, id) => {
      if (code.includes("new Worker(new URL(")) return null;
      const source = JSON.stringify(`../../${relative(root, id)}`);
      return { code: code.replaceAll("import.meta.url", `new URL(${source}, import.meta.url).href`), map: null };
    },
  },
};

const startBuiltPrograms: Plugin = {
  name: "start-built-programs",
  load: {
    filter: { id: /packages\/kit\/src\/process\/programs\.ts$/ },
    handler: () => `
      import { join } from "node:path";
      export const programFile = (name) => join(import.meta.dirname, name + ".js");
    `,
  },
};

const folder = join(dist, inputs);
const { cli, ...servers } = PROGRAM_SOURCES;

type Options = Pick<InputOptions, "treeshake"> & { plugins: Plugin[] };

async function build(input: Record<string, string>, { plugins, ...options }: Options): Promise<void> {
  await using bundle = await rolldown({
    cwd: root,
    input,
    ...options,
    platform: "node",
    external: NOT_BUNDLED.map((name) => new RegExp(`^${name}(/|$)`)),
    plugins: [startBuiltPrograms, keepSourceAddresses, ...quickStart(), ...plugins],
    logLevel: "warn",
  });
  const { output } = await bundle.write({ dir: folder, format: "esm", comments: false });
  for (const file of output) {
    if (file.type === "chunk") writeFileSync(join(folder, file.fileName), inOneByteEach(file.code));
  }
}

/** V8 keeps a source for as long as the program runs, and with two bytes for each character if a single one does not fit in one. */
const inOneByteEach = (code: string): string =>
  code.replace(/\\[\0-\xff]|\\?[^\0-\xff]/g, (found) => {
    const unit = found.charCodeAt(found.length - 1);
    return unit > 0xff ? `\\u${unit.toString(16).padStart(4, "0")}` : found;
  });

rmSync(folder, { recursive: true, force: true });
// The command by itself: what the servers need of a file that they share, such as its schemas, is then not in it.
await Promise.all([
  build({ ...servers, ...THREADS }, { plugins: [thirdPartyNotices()] }),
  build(
    { cli },
    {
      plugins: [dropUnusedSchemas(), startNoCommands, thirdPartyNotices("third-party-notices-cli.txt")],
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
