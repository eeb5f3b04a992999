import type { FileImports } from "./measure.ts";

const inPackage = /^packages\/([^/]+)\/(?!node_modules\/)/;
const isTest = /\.(test|suite)\.tsx?$/;

const start = "<!-- arrows:start -->";
const end = "<!-- arrows:end -->";

/** A mermaid flowchart: an arrow from the package that imports to the package that is imported. */
export function drawPicture(files: readonly FileImports[]): string {
  const names = new Set<string>();
  const arrows = new Set<string>();
  for (const { source, imports } of files) {
    const from = inPackage.exec(source)?.[1];
    if (from === undefined || isTest.test(source)) continue;
    names.add(from);
    for (const target of imports) {
      const to = inPackage.exec(target)?.[1];
      if (to !== undefined && to !== from) arrows.add(`${from} --> ${to}`);
    }
  }
  const lines = [...[...names].sort(), ...[...arrows].sort()].map((line) => `  ${line}`);
  return ["```mermaid", "flowchart TD", ...lines, "```"].join("\n");
}

/** The text with the picture between its two marks; undefined when the marks are missing. */
export function placePicture(text: string, picture: string): string | undefined {
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from < 0 || to < from) return undefined;
  return `${text.slice(0, from + start.length)}\n${picture}\n${text.slice(to)}`;
}
