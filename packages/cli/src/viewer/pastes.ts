import { open } from "node:fs/promises";
import { basename } from "node:path";
import { EXIT } from "@backplane/contract/problems";
import { VIEWER_LIMITS } from "@backplane/contract/viewer";
import { readBytes } from "@backplane/kit/bounded-body";
import { typosBetween } from "@backplane/kit/typos";
import type { Paste, ViewerAccess } from "@backplane/viewer/client";
import { refuse } from "../refusal.ts";
import { SHAPES, type Terminal, table } from "../terminal.ts";
import { minuteOf, plain, sizeOf } from "../text.ts";
import { folderOf, type ViewerFlags, withViewer } from "./with-viewer.ts";

type AddFlags = ViewerFlags & { title?: string };

/** Paths are relative to the project, which may be another folder than the working one. */
const sayFolder = (out: Terminal, { project }: ViewerAccess): void =>
  out.line(out.paint("off", `  The folder is ${plain(folderOf(project))}`));

/** After this the command ends; the screenshot keeps its first name until the viewer runs again. */
export const NAMED_WITHIN_MS = 60_000;

export const add = (host: NodeJS.Process, file: string, options: AddFlags): Promise<number> =>
  withViewer(host, options, async ({ access, out, answer }) => {
    const image = file === "-" ? await readInput(host.stdin) : await readFile(file);
    if (image === undefined) {
      return refuse("file-unreadable", `${plain(file)} cannot be read.`, "Check the path, and that it is a file.");
    }
    if (image === "too-large") {
      return refuse(
        "image-too-large",
        `The image is larger than ${sizeOf(VIEWER_LIMITS.maxUploadBytes)}.`,
        "Crop it, then try again.",
      );
    }
    if (image.length === 0) return refuse("file-empty", `${file === "-" ? "The input" : plain(file)} is empty.`);
    const { id } = await access.paste(image, options.title);
    if (out.isInteractive && options.json !== true) out.line(out.paint("off", "  Saved. Looking for a name …"));
    const paste = await access.named(id, AbortSignal.timeout(NAMED_WITHIN_MS));
    answer(paste, () => {
      for (const { path, width, height, bytes } of [paste.optimized, paste.original]) {
        out.line(
          `${out.paint("ok", SHAPES.ok)} ${path}  ${out.paint("off", `${width} × ${height}, ${sizeOf(bytes)}`)}`,
        );
      }
      sayFolder(out, access);
      if (paste.namedBy === null) {
        out.hint(
          out.paint("off", `  No text was found in it. Name it with: backplane viewer rename ${paste.name} <name>`),
        );
      }
    });
    return undefined;
  });

type Read = Buffer | "too-large" | undefined;

async function readFile(path: string): Promise<Read> {
  try {
    await using file = await open(path);
    const facts = await file.stat();
    if (!facts.isFile()) return undefined;
    return facts.size > VIEWER_LIMITS.maxUploadBytes ? "too-large" : await file.readFile();
  } catch {
    return undefined;
  }
}

async function readInput(stream: AsyncIterable<Buffer>): Promise<Read> {
  const bytes = await readBytes(stream, VIEWER_LIMITS.maxUploadBytes);
  return bytes === undefined ? "too-large" : Buffer.from(bytes);
}

type LookFlags = ViewerFlags & { limit?: number };

const USUAL_LIMIT = 20;

export const list = (host: NodeJS.Process, options: LookFlags): Promise<number> =>
  withViewer(host, options, async ({ access, out, answer }) => {
    const found = await access.list(options.limit ?? USUAL_LIMIT);
    answer(found, () => {
      if (found.pastes.length === 0) {
        out.hint("No screenshots yet. Open the page with: backplane viewer open");
      }
      for (const line of table(found.pastes.map((paste) => rowOf(paste, out)))) out.line(line);
      if (found.more)
        out.line(out.paint("off", `  There are more. Show them with: --limit ${2 * (options.limit ?? USUAL_LIMIT)}`));
      sayFolder(out, access);
    });
    return undefined;
  });

export const search = (host: NodeJS.Process, words: readonly string[], options: LookFlags): Promise<number> =>
  withViewer(host, options, async ({ access, out, answer }) => {
    const query = words.join(" ");
    if (query.trim() === "") return refuse("bad-query", "There is nothing to search for.", "Give one word or more.");
    const hits = await access.search(query, options.limit ?? USUAL_LIMIT);
    answer({ hits }, () => {
      if (hits.length === 0) {
        out.line(`No screenshot has "${plain(query)}" in its name or its text. Try fewer words, or another spelling.`);
      }
      for (const { paste, excerpt } of hits) {
        out.line(`${out.paint("strong", paste.optimized.path)}  ${when(paste)}`);
        if (excerpt !== null) out.line(`  ${plain(excerpt)}`);
      }
      sayFolder(out, access);
    });
    return hits.length === 0 ? EXIT.notFound : undefined;
  });

const rowOf = (paste: Paste, out: Terminal): string[] => [
  paste.status === "named" ? SHAPES.ok : SHAPES.off,
  paste.optimized.path,
  sizeOf(paste.optimized.bytes),
  when(paste),
  out.paint("off", paste.id),
];

const when = ({ pastedAt }: Paste): string => minuteOf(new Date(pastedAt));

export const rename = (host: NodeJS.Process, wanted: string, name: string, options: ViewerFlags): Promise<number> =>
  withViewer(host, options, async ({ access, out, answer }) => {
    const { pastes } = await access.list(NEWEST);
    const found = pastes.find(isMeant(wanted)) ?? (await access.get(wanted));
    if (found === undefined) {
      const meant = similarNames(wanted, pastes);
      return refuse(
        "paste-unknown",
        `There is no screenshot "${plain(wanted)}".`,
        ...(meant.length > 0
          ? [`Did you mean ${new Intl.ListFormat("en", { type: "disjunction" }).format(meant)}?`]
          : []),
        "List the screenshots with: backplane viewer list",
      );
    }
    const renamed = await access.rename(found.id, name, "you");
    answer(renamed, () => {
      out.line(`${out.paint("ok", SHAPES.ok)} ${renamed.optimized.path}`);
      out.line(`  ${renamed.original.path}`);
    });
    return undefined;
  });

/** The longest list. Older screenshots can only be found by their id. */
const NEWEST = 200;

/** By its id, by its name, or by one of its files. */
function isMeant(wanted: string): (paste: Paste) => boolean {
  const file = basename(wanted);
  return ({ id, name, optimized, original }) =>
    id === wanted || name === wanted || basename(optimized.path) === file || basename(original.path) === file;
}

const MAX_TYPOS = 2;
const MAX_SIMILAR = 3;

/** Names with a part of what was written, or with few typos in it, the nearest first. */
function similarNames(wanted: string, pastes: readonly Paste[]): string[] {
  const written = basename(wanted)
    .toLowerCase()
    .replace(/\.png$/, "")
    .replace(/[^a-z0-9]+/g, "-");
  const typosIn = (name: string) =>
    name.includes(written) || written.includes(name) ? 0 : typosBetween(written.slice(0, 2 * name.length), name);
  if (written.replace(/-/g, "") === "") return [];
  return [...new Set(pastes.map(({ name }) => name))]
    .map((name) => ({ name, typos: typosIn(name) }))
    .filter(({ typos }) => typos <= MAX_TYPOS)
    .sort((one, other) => one.typos - other.typos)
    .slice(0, MAX_SIMILAR)
    .map(({ name }) => name);
}
