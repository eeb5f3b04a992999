import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chooseStyle, html } from "@backplane/kit/page";
import { body } from "./parts.ts";

const read = (url: string | URL): string => readFileSync(fileURLToPath(url), "utf8");

/** In the order to read them in. */
export const SCRIPT_FILES = [
  "texts",
  "faults",
  "elements",
  "viewer-over-http",
  "viewer-over-mcp",
  "live-updates",
  "paste-and-drop",
  "uploads",
  "pictures",
  "name-card",
  "recent",
  "clipboard",
  "undo-paste",
  "screen",
  "page",
] as const;

/**
 * Modules for tests and linting, one script for the page, which may load nothing. What is left out: imports, the word
 * "export", comments on lines of their own, indentation. No line may begin inside of a string.
 */
const inlined = (name: string): string =>
  read(new URL(`browser/${name}.js`, import.meta.url))
    .replace(/^import [^;]*;$/gm, "")
    .replace(/^export /gm, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("//"))
    .join("\n");

export const SCRIPT = `(() => {\n"use strict";\n${SCRIPT_FILES.map(inlined).join("\n")}\n})();`;

/** What the script adds to the markup. */
const ADDED = html`<html data-theme=""><body class="dragging app"><p class="muted busy copied bad" data-tone="" data-away="" aria-pressed="" aria-disabled="" aria-current="" aria-invalid=""></p><textarea></textarea><i></i></body></html>`;

const OWN_STYLE = ["page.css", "screenshots.css"].map((file) => read(new URL(file, import.meta.url))).join("\n");

/** The part of the language that the page uses, and what it has besides. */
export const STYLE = chooseStyle(
  `${read(import.meta.resolve("@backplane/kit/tokens.css"))}@layer components { ${OWN_STYLE} }`,
  `${ADDED}${body({ title: "", folder: "", project: "project", limitInWords: "" })}`,
);
