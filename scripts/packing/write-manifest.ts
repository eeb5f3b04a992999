// Makes what tsc has built a package of its own: `node scripts/packing/write-manifest.ts PACKAGE BUILT`.
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Manifest = {
  devDependencies?: unknown;
  scripts?: unknown;
  dependencies?: Record<string, string>;
  exports: Record<string, string>;
};

const [source = ".", built = "dist"] = process.argv.slice(2);
const read = JSON.parse(readFileSync(join(source, "package.json"), "utf8")) as Manifest;
const { devDependencies: _, scripts: __, dependencies = {}, exports: sources, ...manifest } = read;

/** Without what was left out of the build, such as a server. */
const exported = Object.entries(sources)
  .map(([name, path]) => [name, path.replace(/^\.\/src\//, "./").replace(/\.ts$/, "")] as const)
  .filter(([, stem]) => existsSync(join(built, `${stem}.js`)))
  .map(([name, stem]) => [name, { types: `${stem}.d.ts`, default: `${stem}.js` }]);

const text = globSync("**/*.js", { cwd: built })
  .map((file) => readFileSync(join(built, file), "utf8"))
  .join("\n");
const needed = Object.entries(dependencies).filter(([name]) => text.includes(`from "${name}`));

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
