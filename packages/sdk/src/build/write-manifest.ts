// Makes the built folder a package of its own: `node src/build/write-manifest.ts FOLDER`.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Manifest = { devDependencies?: unknown; scripts?: unknown; exports: Record<string, string> };

const [folder = "dist"] = process.argv.slice(2);
const source = readFileSync(join(import.meta.dirname, "../../package.json"), "utf8");
const { devDependencies: _, scripts: __, exports: sources, ...manifest } = JSON.parse(source) as Manifest;
const built = Object.entries(sources).map(([name, path]) => {
  const stem = path.replace(/^\.\/src\//, "./").replace(/\.ts$/, "");
  return [name, { types: `${stem}.d.ts`, default: `${stem}.js` }];
});
const text = JSON.stringify({ ...manifest, exports: Object.fromEntries(built) }, undefined, 2);
writeFileSync(join(folder, "package.json"), `${text}\n`);
