import type { LanguageSupport } from "@codemirror/language";
import { extensionOf } from "../project-files/paths.ts";

export type Language = { name: string; load?: () => Promise<LanguageSupport> };

const script = (name: string, options: { typescript?: boolean; jsx?: boolean }): Language => ({
  name,
  load: async () => (await import("@codemirror/lang-javascript")).javascript(options),
});
const cpp = (name: string): Language => ({ name, load: async () => (await import("@codemirror/lang-cpp")).cpp() });
const markdown: Language = {
  name: "Markdown",
  load: async () => (await import("@codemirror/lang-markdown")).markdown(),
};
const html: Language = { name: "HTML", load: async () => (await import("@codemirror/lang-html")).html() };
const json: Language = { name: "JSON", load: async () => (await import("@codemirror/lang-json")).json() };
const javascript = script("JavaScript", { jsx: true });
const typescript = script("TypeScript", { typescript: true });

/** By file extension. Each loads when the first file of its kind is opened. */
const LANGUAGES: Readonly<Record<string, Language>> = {
  ...{ js: javascript, mjs: javascript, cjs: javascript, jsx: javascript },
  ...{ ts: typescript, mts: typescript, cts: typescript },
  tsx: script("TypeScript", { typescript: true, jsx: true }),
  ...{ json, gltf: json, kicad_pro: json },
  css: { name: "CSS", load: async () => (await import("@codemirror/lang-css")).css() },
  ...{ html, htm: html },
  ...{ md: markdown, markdown },
  py: { name: "Python", load: async () => (await import("@codemirror/lang-python")).python() },
  ...{ c: cpp("C"), h: cpp("C"), cpp: cpp("C++"), cc: cpp("C++"), hpp: cpp("C++"), ino: cpp("Arduino") },
};

const PLAIN: Language = { name: "Plain text" };

export const languageOf = (path: string): Language => LANGUAGES[extensionOf(path)] ?? PLAIN;
