// `npm run arrows`: draws the packages and their measured imports into ARCHITECTURE.md; --check only compares, and refuses
// forbidden imports.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { measureImports } from "./arrows/measure.ts";
import { drawPicture, placePicture } from "./arrows/picture.ts";
import { foldersWithSources, root } from "./testing/files.ts";

const file = join(root, "ARCHITECTURE.md");

async function main(checkOnly: boolean): Promise<string | undefined> {
  if (!existsSync(file)) return "ARCHITECTURE.md is missing; the picture of the packages belongs there.";
  const before = readFileSync(file, "utf8");
  const folders = foldersWithSources(["packages", "e2e", "scripts", "bench", "examples"]);
  const { files, forbidden } = await measureImports(root, folders);
  if (checkOnly && forbidden.length > 0) return `These imports are forbidden:\n${forbidden.join("\n")}`;
  const ofPackages = files.filter(({ source }) => source.startsWith("packages/"));
  const after = placePicture(before, drawPicture(ofPackages));
  if (after === undefined) return "ARCHITECTURE.md has no lines <!-- arrows:start --> and <!-- arrows:end -->.";
  if (after === before) return undefined;
  if (checkOnly) return "The picture in ARCHITECTURE.md is not what the code imports. Run: npm run arrows";
  writeFileSync(file, after);
  console.log("ARCHITECTURE.md: picture updated.");
  return undefined;
}

const fault = await main(process.argv.includes("--check"));
if (fault !== undefined) {
  console.error(fault);
  process.exitCode = 1;
}
