import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type InputOptions, type Plugin, rolldown } from "rolldown";
import { quickStart } from "./quick-start.ts";

const root = join(import.meta.dirname, "..", "..");
/** These look for their own files, are read as files, are compiled for this machine, or are large and rarely needed. */
export const NOT_BUNDLED = [
  "@mdi/js",
  "@napi-rs/image",
  "@tesseract.js-data/eng",
  "@zumer/snapdom",
  "sharp",
  "tesseract.js",
];

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

type Options = Pick<InputOptions, "treeshake"> & { folder: string; plugins?: Plugin[] };

/** Bundles programs, by name, into a folder of `dist`, which their addresses of assets depend on. */
export async function bundle(
  input: Record<string, string>,
  { folder, plugins = [], ...options }: Options,
): Promise<void> {
  await using bundled = await rolldown({
    cwd: root,
    input,
    ...options,
    platform: "node",
    external: NOT_BUNDLED.map((name) => new RegExp(`^${name}(/|$)`)),
    plugins: [startBuiltPrograms, keepSourceAddresses, ...quickStart(), ...plugins],
    logLevel: "warn",
  });
  const { output } = await bundled.write({ dir: folder, format: "esm", comments: false });
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
