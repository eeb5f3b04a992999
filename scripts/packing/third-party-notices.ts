import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "rolldown";

/** Writes a text: name, version and licence text of every package whose code is in the bundle. */
export function thirdPartyNotices(fileName = "third-party-notices.txt"): Plugin {
  return {
    name: "third-party-notices",
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
      const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== undefined));
      const notices = [...folders].map(noticeOf).sort();
      this.emitFile({ type: "asset", fileName, source: notices.join("\n\n\n") });
    },
  };
}

/** "/x/node_modules/@scope/name/lib/file.js" → "/x/node_modules/@scope/name" */
export function packageFolder(module: string): string | undefined {
  return /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1];
}

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const [file] = globSync("{LICENSE,LICENCE,license,License,LICENSE-MIT}{,.md,.txt}", { cwd: folder });
  const text = file && existsSync(join(folder, file)) ? readFileSync(join(folder, file), "utf8").trim() : license;
  // A set of icons names who made it, and where the licence is.
  const icons = globSync("info.json", { cwd: folder }).map((info) => {
    const { author, license } = JSON.parse(readFileSync(join(folder, info), "utf8"));
    return `${author.name}, ${license.url}`;
  });
  // Of what a library was built from, such as OpenCASCADE.
  const parts = globSync("dist/license.*.txt", { cwd: folder }).map((part) =>
    readFileSync(join(folder, part), "utf8").trim(),
  );
  const texts = new Set([text, ...icons, ...parts]);
  return `${name} ${version} (${license})\n\n${[...texts].join("\n\n")}`;
}
