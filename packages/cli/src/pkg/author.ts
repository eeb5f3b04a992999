import { readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { EXIT, exitCodeOf } from "@backplane/contract/problems";
import {
  buildRepository,
  type CheckNote,
  inspectArchive,
  lintPackage,
  lintPackages,
  lintRepository,
  packFolder,
  readPackage,
  readPackages,
  readRepository,
} from "@backplane/registry/authoring";
import { ManagerFault } from "@backplane/registry/manager";
import { showProgress } from "../progress.ts";
import { refuse } from "../refusal.ts";
import { runCommand } from "../run.ts";
import { countOf, sizeOf } from "../text.ts";
import { loadSigningKey } from "./keys.ts";
import { printNotes, summaryOf } from "./notes.ts";
import type { PkgOptions } from "./place.ts";

type Host = NodeJS.Process;

const MAX_METADATA_BYTES = 64 * 1024 * 1024;

/** Checks metadata.json, packages.json, repository.json or an archive. Exit 1: one of them has an error. */
export async function validate(host: Host, files: readonly string[], options: PkgOptions): Promise<number> {
  return runCommand(host, options, async ({ out }) => {
    const checked = [];
    for (const file of files) checked.push({ file, notes: await notesOf(file, options) });
    if (options.json) out.line(JSON.stringify({ files: checked }));
    else {
      for (const { file, notes } of checked) {
        printNotes(out, await metadataOf(file), notes);
        out.line(`${file}: ${summaryOf(notes)}`);
      }
    }
    return checked.some(({ notes }) => notes.some(({ level }) => level === "error")) ? EXIT.failed : EXIT.done;
  });
}

/** For a folder, the file that lines and columns refer to. */
async function metadataOf(given: string): Promise<string> {
  const info = await stat(given).catch((error) => {
    throw new ManagerFault("bad-file", `${given} cannot be read (${error.code}). Check the path.`);
  });
  return info.isDirectory() ? join(given, "metadata.json") : given;
}

async function notesOf(given: string, { brand }: PkgOptions): Promise<CheckNote[]> {
  const file = await metadataOf(given);
  if (file.endsWith(".zip")) {
    const inspected = await inspectArchive(file);
    if ("refusal" in inspected) {
      const { reason, message, path } = inspected.refusal;
      return [{ level: "error", rule: reason, message, ...(path === undefined ? {} : { path }) }];
    }
    return notesOfPackage(inspected.archive.metadata, brand);
  }
  const text = await readFile(file, "utf8").catch((error) => {
    throw new ManagerFault("bad-file", `${file} cannot be read (${error.code}). Check the path.`);
  });
  if (text.length > MAX_METADATA_BYTES) throw new ManagerFault("too-large", `${file} is larger than any metadata.`);
  const kind = kindOf(text);
  if (kind === "repository") {
    const read = readRepository(text);
    return "faults" in read ? read.faults : lintRepository(text, read.repository);
  }
  if (kind === "packages") {
    const spelling = brand ?? brandOf(text);
    const read = readPackages(text, spelling);
    return "faults" in read ? read.faults : lintPackages(text, read.packages, spelling);
  }
  return notesOfPackage(text, brand);
}

function notesOfPackage(text: string, brand: string | undefined): CheckNote[] {
  const read = readPackage(text, brand === undefined ? {} : { brands: [brand] });
  return "faults" in read ? read.faults : [...read.notes, ...lintPackage(text, read.package)];
}

/** By its content, not its name. Invalid JSON is checked as a package, which reports where it breaks. */
function kindOf(text: string): "package" | "packages" | "repository" {
  try {
    const value = JSON.parse(text);
    if (Array.isArray(value?.packages)) return "packages";
    return typeof value?.packages === "object" && value.packages !== null ? "repository" : "package";
  } catch {
    return "package";
  }
}

const brandOf = (text: string): string => /"([a-z][a-z0-9]{0,30})_version"\s*:/.exec(text)?.[1] ?? "tool";

/** A folder becomes an archive that can be published. */
export async function pack(host: Host, folder = ".", options: PkgOptions & { out?: string } = {}): Promise<number> {
  return runCommand(host, options, async ({ out }) => {
    const notes = await notesOf(folder, options);
    if (notes.some(({ level }) => level === "error")) {
      if (options.json) out.line(JSON.stringify({ notes }));
      else printNotes(out, join(folder, "metadata.json"), notes);
      return exitCodeOf("metadata-refused");
    }
    const file = options.out ?? `${basename(folder.replace(/(?<![\\/])[\\/]+$/, "")) || "package"}.zip`;
    const packed = await packFolder(folder, file);
    if ("refusal" in packed) {
      const { message, path } = packed.refusal;
      const where = path === undefined ? "" : `${path}: `;
      return refuse("archive-refused", `${where}${message}`);
    }
    if (options.json) out.line(JSON.stringify({ file, ...packed, notes }));
    else {
      printNotes(out, join(folder, "metadata.json"), notes);
      out.line(`${file}: ${sizeOf(packed.size)}, ${sizeOf(packed.installSize)} installed.`);
      out.line(`sha256 ${packed.sha256}`);
      out.hint(`Publish it with: backplane pkg publish ${file}`);
    }
    return EXIT.done;
  });
}

export type BuildFlags = PkgOptions & {
  out: string;
  baseUrl: string;
  name: string;
  key?: string;
  skipFaulty?: boolean;
};

/** Archives become a repository for any web server. */
export async function build(host: Host, from: readonly string[], options: BuildFlags): Promise<number> {
  return runCommand(host, options, async ({ out }) => {
    const { out: folder, baseUrl, name, key, brand = "tool", json = false, skipFaulty = false } = options;
    const sourceDate = Number(host.env.SOURCE_DATE_EPOCH);
    const now = host.env.SOURCE_DATE_EPOCH && Number.isSafeInteger(sourceDate) ? () => sourceDate * 1_000 : Date.now;
    using shown = showProgress(host.stderr, { isDumb: host.env.TERM === "dumb", isQuiet: json });
    const built = await buildRepository({
      ...{ from: [...from], out: folder, name, brand, baseUrl, now, skipFaulty },
      ...(key === undefined ? {} : { signingKey: await loadSigningKey(key) }),
      onProgress: ({ done, total }) => shown.counts(`Reading ${countOf(total, "archive")}`, `, ${done} done`),
    });
    shown[Symbol.dispose]();
    const notes = "faults" in built ? built.faults : built.notes;
    if (json) out.line(JSON.stringify(built));
    else for (const { path = folder, ...note } of notes) printNotes(out, path, [note]);
    if ("faults" in built) {
      if (!json) out.line("Nothing was written. Fix these, or leave them out with --skip-faulty.");
      return exitCodeOf("archive-refused");
    }
    if (!json) {
      out.line(
        `${folder}: ${countOf(built.packages, "package")}, ${countOf(built.versions, "version")}, ${built.opened} read again.`,
      );
      const address = baseUrl.replace(/(?<!\/)\/+$/, "");
      out.line(`Serve this folder at ${baseUrl}, and add ${address}/repository.json to your design tool.`);
      if (notes.some(({ rule }) => rule === "needs-v2")) {
        out.line(`It leaves out what only KiCad 10 and later can list; for them add ${address}/repository-v2.json.`);
      }
    }
    return EXIT.done;
  });
}
