import { readFileSync } from "node:fs";
import { chooseStyle, html, TOKENS } from "@backplane/kit/page";
import { body } from "./markup.ts";

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");

/** In the order to read them in. */
export const SCRIPT_FILES = [
  "texts",
  "matches",
  "faults",
  "elements",
  "viewer-over-http",
  "viewer-over-mcp",
  "live-updates",
  "paste-and-drop",
  "uploads",
  "pictures",
  "name-card",
  "gallery",
  "clipboard",
  "undo-paste",
  "screen",
  "search",
  "page",
] as const;

/**
 * The files are modules for tests and linting; the page, which loads nothing, gets them as one script. Removed are imports,
 * the word "export", comment lines and indentation, so no string may span lines, and top-level names must be unique.
 */
const inlined = (name: string): string =>
  read(`browser/${name}.js`)
    .replace(/^import [^;]*;$/gm, "")
    .replace(/^export /gm, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("//"))
    .join("\n");

export const SCRIPT = `(() => {\n"use strict";\n${SCRIPT_FILES.map(inlined).join("\n")}\n})();`;

/** Elements and attributes that the script adds to the markup, so that their style is kept. */
const ADDED = html`<html data-theme=""><body class="dragging app"><p class="muted busy copied bad" data-tone="" data-away="" aria-pressed="" aria-disabled="" aria-invalid=""></p><mark></mark><textarea></textarea><i></i></body></html>`;

const OWN_STYLE = ["page.css", "screenshots.css"].map(read).join("\n");

/** The rules of the common style sheet that the page uses, and its own. */
export const STYLE = chooseStyle(
  `${TOKENS}@layer components { ${OWN_STYLE} }`,
  `${ADDED}${body({ title: "", folder: "", project: "project", limitInWords: "" })}`,
);
