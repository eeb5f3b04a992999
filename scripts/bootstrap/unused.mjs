// What an install for running has on disk, but nothing that runs or builds here reads. npm cannot leave out files of a package.
import { readdirSync, rmSync, unlinkSync } from "node:fs";

const UNUSED = [
  // Maps, types and sources: packages run from their JavaScript.
  /\.(?:map|[cm]?tsx?)$/,
  // For those who work on a package. Not `examples`: three has parts there.
  /^(?:@[^/]+\/)?[^@/][^/]*\/(?:\.github|docs?|tests?)$/,
  // Headers and manuals of Node.
  /^node(?:-bin)?-\w+-\w+\/(?:include|share)$/,
  // Of the text recogniser: what is for browsers, engines that it takes only when asked in another way, and their language data.
  /^tesseract\.js-core\/tesseract-core.*(?:-lstm\.\w+|\.wasm\.js)$/,
  /^@tesseract\.js-data\/eng\/4\.0\.0$/,
];

/** By its path below `node_modules`. */
export const isUnused = (path) => UNUSED.some((pattern) => pattern.test(path));

export function removeUnused(nodeModules, below = "") {
  for (const entry of readdirSync(nodeModules + below, { withFileTypes: true })) {
    const path = `${below}/${entry.name}`;
    if (!isUnused(path.slice(1))) {
      // Not into links, which lead to our own packages.
      if (entry.isDirectory()) removeUnused(nodeModules, path);
    } else if (entry.isDirectory()) rmSync(nodeModules + path, { recursive: true });
    else unlinkSync(nodeModules + path);
  }
}
