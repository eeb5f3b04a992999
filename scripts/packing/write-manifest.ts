// Makes what tsc has built a package of its own: `node scripts/packing/write-manifest.ts PACKAGE BUILT`.
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

type Manifest = {
  devDependencies?: unknown;
  scripts?: unknown;
  dependencies?: Record<string, string>;
  exports: Record<string, string>;
};

const [source = ".", built = "dist"] = process.argv.slice(2);
const root = join(import.meta.dirname, "../..");
const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
const { devDependencies: _, scripts: __, dependencies = {}, exports: sources, ...manifest } = manifestOf(source);

includeContract();

/** Without what was left out of the build, such as a server. */
const exported = Object.entries(sources)
  .map(([name, path]) => [name, path.replace(/^\.\/src\//, "./").replace(/\.ts$/, "")] as const)
  .filter(([, stem]) => existsSync(join(built, `${stem}.js`)))
  .map(([name, stem]) => [name, { types: `${stem}.d.ts`, default: `${stem}.js` }]);

const text = globSync("**/*.js", { cwd: built })
  .map((file) => readFileSync(join(built, file), "utf8"))
  .join("\n");
const known = { ...dependencies, ...manifestOf(join(root, "packages/contract")).dependencies };
const needed = Object.entries(known).filter(([name]) => text.includes(`from "${name}`));

writeFileSync(
  join(built, "package.json"),
  `${JSON.stringify(
    {
      ...manifest,
      ...(needed.length > 0 ? { dependencies: Object.fromEntries(needed) } : {}),
      exports: Object.fromEntries(exported),
    },
    undefined,
    2,
  )}\n`,
);

/** The contract is part of each package that is published: built beside it, and imported by a relative path. */
function includeContract(): void {
  const specifier = /(["'])@backplane\/contract\/([a-z-]+)\1/g;
  const files = globSync("**/*.{js,d.ts}", { cwd: built });
  const users = files.filter((file) => readFileSync(join(built, file), "utf8").includes("@backplane/contract/"));
  if (users.length === 0) return;
  const tsc = join(root, "node_modules/.bin/tsc");
  const project = join(root, "packages/contract/tsconfig.build.json");
  execFileSync(process.execPath, [tsc, "-p", project, "--outDir", join(built, "contract")], { stdio: "inherit" });
  for (const file of users) {
    const up = relative(dirname(file), "contract");
    const path = join(built, file);
    const here = up.startsWith(".") ? up : `./${up}`;
    writeFileSync(path, readFileSync(path, "utf8").replace(specifier, `$1${here}/$2.js$1`));
  }
}
