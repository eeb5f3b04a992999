import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { canInstall, install } from "./apt.ts";

const folders = [
  "/usr/share/fonts",
  "/usr/local/share/fonts",
  join(homedir(), ".fonts"),
  join(homedir(), ".local/share/fonts"),
];

/** Without a proportional and a fixed-width font Chromium on Linux draws boxes, and every screenshot is wrong. */
export async function ensureFonts(): Promise<void> {
  if (process.platform !== "linux" || hasFonts(folders)) return;
  if (canInstall()) await install(["fonts-liberation", "fonts-dejavu-core"]);
  else process.stderr.write("No fonts are installed: text in screenshots may be missing. Debian: fonts-liberation.\n");
}

function hasFonts(where: readonly string[]): boolean {
  const files = where.flatMap(list).filter((file) => /\.(ttf|otf|ttc)$/i.test(file));
  return files.some((file) => /mono/i.test(file)) && files.some((file) => !/mono/i.test(file));
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" });
  } catch {
    return [];
  }
}
