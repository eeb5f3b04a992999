import type { FileImports } from "./measure.ts";

const inPackage = /^packages\/([^/]+)\/(?!node_modules\/)/;
const isTest = /\.(test|suite)\.tsx?$/;
const isContract = /\/contract\.ts$/;

const start = "<!-- arrows:start -->";
const end = "<!-- arrows:end -->";

/** A mermaid flowchart: an arrow from who imports to what is imported, dotted where only a contract.ts is. */
export function drawPicture(files: readonly FileImports[]): string {
  const names = new Set<string>();
  const solid = new Map<string, boolean>();
  for (const { source, imports } of files) {
    const from = inPackage.exec(source)?.[1];
    if (from === undefined || isTest.test(source)) continue;
    names.add(from);
    for (const target of imports) {
      const to = inPackage.exec(target)?.[1];
      if (to === undefined || to === from) continue;
      const arrow = `${from} ${to}`;
      solid.set(arrow, solid.get(arrow) === true || !isContract.test(target));
    }
  }
  const arrows = [...solid].map(([arrow, whole]) => arrow.replace(" ", whole ? " --> " : " -.-> "));
  const lines = [...[...names].sort(), ...arrows.sort()].map((line) => `  ${line}`);
  return ["```mermaid", "flowchart TD", ...lines, "```"].join("\n");
}

/** The text with the picture between its two marks; undefined when the marks are not there. */
export function placePicture(text: string, picture: string): string | undefined {
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from < 0 || to < from) return undefined;
  return `${text.slice(0, from + start.length)}\n${picture}\n${text.slice(to)}`;
}
