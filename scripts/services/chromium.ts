import { existsSync } from "node:fs";
import { chromium, findOrInstall } from "./find-or-install.ts";
import { ensureFonts } from "./fonts.ts";

/** For a browser that only ever meets loopback: no sandbox (tests may run as root), no talk with its maker's servers. */
export const chromiumFlags: readonly string[] = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Path of a Chromium (or Chrome) to start, with fonts to draw text in. */
export async function findChromium(): Promise<string> {
  const found = await findOrInstall(chromium);
  if (found.from === "variable" && !existsSync(found.value)) {
    throw new Error(`CHROMIUM_PATH names ${found.value}, and nothing is there.`);
  }
  if (found.from === "compose") throw new Error("Chromium cannot come from compose.yaml.");
  await ensureFonts();
  return found.from === "variable" ? found.value : found.path;
}
