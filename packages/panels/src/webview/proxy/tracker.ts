import { readFileSync } from "node:fs";
import { PASS_COOKIE } from "../passes/cookies.ts";
import { GO_PATH } from "../passes/frame-addresses.ts";
import type { ProxyContext } from "./context.ts";

/** Without comments and indentation: the script is in every page. */
const SOURCE = readFileSync(new URL("tracker.js", import.meta.url), "utf8")
  .replace(/^\s*\/\/.*$/gm, "")
  .replace(/^\s*\/\*\*.*\*\/$/gm, "")
  .replace(/\n\s+/g, "\n");

export type TrackerOptions = { ancestors: readonly string[]; cookieAttributes: string };

/** The script that is injected into every page of a site. */
export function createTracker({ ancestors, cookieAttributes }: TrackerOptions): ProxyContext["tracker"] {
  return (site, popups) => {
    const place = { site, ancestors, popups, go: GO_PATH, cookie: PASS_COOKIE, attributes: cookieAttributes };
    const written = JSON.stringify(place).replaceAll("<", "\\u003c");
    return `<script>${SOURCE.replace("PLACE", () => written)}</script>`;
  };
}
