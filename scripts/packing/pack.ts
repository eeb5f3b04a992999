// Builds a package as it is published, JavaScript and types: `node scripts/packing/pack.ts PACKAGE OUT`. With
// --without-types only what runs, which takes a quarter of the time; with --tarball FOLDER also the file to install.
import { execFileSync } from "node:child_process";
import { copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { rolldown } from "rolldown";
import { dropUnusedSchemas } from "./drop-unused-schemas.ts";

type Manifest = {
  devDependencies?: unknown;
  scripts?: unknown;
  dependencies?: Record<string, string>;
  exports: Record<string, string>;
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { "without-types": { type: "boolean", default: false }, tarball: { type: "string" } },
});
const [source = ".", out = "dist"] = positionals.map((path) => resolve(path));
const root = join(import.meta.dirname, "../..");
const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const project = join(source, "tsconfig.build.json");
/** What is published: files that are exported, and those that are started as a thread. */
const { files, compilerOptions } = readJson(project) as { files: string[]; compilerOptions: { target: string } };

const readManifest = (folder: string): Manifest => readJson(join(folder, "package.json"));
/** What is imported as a dependency instead of being bundled. */
const dependencies = Object.fromEntries(
  [source, join(root, "packages/contract")]
    .flatMap((folder) => Object.entries(readManifest(folder).dependencies ?? {}))
    .filter(([name]) => !name.startsWith("@backplane/")),
);

rmSync(out, { recursive: true, force: true });
await writeCode();
if (!values["without-types"]) writeTypes();
writeManifest();
copyFileSync(join(root, "LICENSE"), join(out, "LICENSE"));
copyFileSync(join(source, "README.md"), join(out, "README.md"));
if (values.tarball !== undefined) writeTarball(resolve(values.tarball));

/** The parts of the contract and of kit that the package uses become part of it. */
async function writeCode(): Promise<void> {
  const bundle = await rolldown({
    cwd: source,
    input: files,
    platform: "neutral",
    external: [/^node:/, ...Object.keys(dependencies).map((name) => new RegExp(`^${name}(/|$)`))],
    plugins: [dropUnusedSchemas()],
    treeshake: { moduleSideEffects: false },
    transform: { target: compilerOptions.target },
  });
  // Files keep their places, because one that starts a thread expects the thread's file next to it.
  await bundle.write({ dir: out, preserveModules: true, preserveModulesRoot: join(source, "src") });
  await bundle.close();
}

function writeTypes(): void {
  compileTypes(project, out);
  const contract = join(out, "contract/src");
  const usesContract = (path: string) => readFileSync(path, "utf8").includes("@backplane/contract/");
  const users = globSync("**/*.d.ts", { cwd: out })
    .map((file) => join(out, file))
    .filter(usesContract);
  if (users.length > 0) compileTypes(join(root, "packages/contract/tsconfig.build.json"), contract);
  for (const file of users) {
    const to = relative(dirname(file), contract);
    const specifier = /(["'])@backplane\/contract\/([a-z/-]+)\1/g;
    const text = readFileSync(file, "utf8").replace(specifier, `$1${to.startsWith(".") ? to : `./${to}`}/$2.js$1`);
    if (text.includes('"@backplane/')) throw new Error(`${file} has types of a package that is not published.`);
    writeFileSync(file, text);
  }
}

function compileTypes(tsconfig: string, outDir: string): void {
  const tsc = join(root, "node_modules/.bin/tsc");
  const options = ["-p", tsconfig, "--outDir", outDir, "--emitDeclarationOnly"];
  execFileSync(process.execPath, [tsc, ...options], { stdio: "inherit" });
}

function writeManifest(): void {
  const { devDependencies: _, scripts: __, dependencies: ___, exports: sources, ...manifest } = readManifest(source);
  const text = globSync("**/*.{js,d.ts}", { cwd: out })
    .map((file) => readFileSync(join(out, file), "utf8"))
    .join("\n");
  const needed = Object.entries(dependencies).filter(([name]) => text.includes(`from "${name}`));
  const exported = Object.entries(sources)
    .filter(([, path]) => files.includes(path.replace(/^\.\//, "")))
    .map(([name, path]) => [name, path.replace(/^\.\/src\//, "./").replace(/\.ts$/, "")] as const)
    .map(([name, stem]) => [name, { types: `${stem}.d.ts`, default: `${stem}.js` }]);
  const published = {
    ...manifest,
    ...(needed.length > 0 ? { dependencies: Object.fromEntries(needed) } : {}),
    exports: Object.fromEntries(exported),
  };
  writeFileSync(join(out, "package.json"), `${JSON.stringify(published, undefined, 2)}\n`);
}

/** npm prints its name. */
function writeTarball(folder: string): void {
  const options = ["--pack-destination", folder, "--offline", "--loglevel=error"];
  execFileSync("npm", ["pack", out, ...options], { stdio: "inherit" });
}
