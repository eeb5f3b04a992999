import { chromium, findCommand, firefox, headlessShell, type Tool } from "./find-or-install.ts";
import { ensureFonts } from "./fonts.ts";

/** For a browser that only uses loopback: no sandbox (tests may run as root), no requests to its vendor's servers. */
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
export const findChromium = (): Promise<string> => find(chromium);

/**
 * Path of the same engine without a browser's windows, menus and extensions, which opens a page in a third of the
 * time; of the browser, where there is no such thing.
 */
export const findHeadlessShell = (): Promise<string> => find(headlessShell).catch(findChromium);

/** Path of a Firefox to start. */
export const findFirefox = (): Promise<string> => find(firefox);

async function find(tool: Tool): Promise<string> {
  const path = await findCommand(tool);
  await ensureFonts();
  return path;
}
