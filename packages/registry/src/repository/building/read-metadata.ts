import { readFileSync, statSync } from "node:fs";
import type { Package } from "@backplane/contract/registry";
import { lintPackage, lintPackages } from "../../metadata/lint.ts";
import { type Note, readPackage, readPackages } from "../../metadata/read.ts";
import type { Input } from "./find-inputs.ts";
import { faultOf, type ReadInput } from "./source.ts";

const MAX_METADATA_BYTES = 64 * 1024 * 1024;

/** A file of metadata: one package, or a list of them as packages.json is. */
export function readMetadata({ path, shown }: Input, brands: readonly string[]): ReadInput {
  let text: string;
  try {
    const { size } = statSync(path);
    if (size > MAX_METADATA_BYTES) {
      return { faults: [faultOf(shown, "too-large", `It has ${size} bytes, at most ${MAX_METADATA_BYTES} are read.`)] };
    }
    text = readFileSync(path, "utf8");
  } catch (error) {
    return { faults: [faultOf(shown, "unreadable", `It cannot be read: ${(error as Error).message}`)] };
  }
  const read = isList(text) ? readList(text, brands) : readOne(text, brands);
  const notes = ("faults" in read ? read.faults : read.notes).map((note) => ({ ...note, path: shown }));
  if ("faults" in read || notes.some(({ level }) => level === "error")) return { faults: notes };
  return { sources: read.packages.map((listed) => ({ file: shown, package: listed })), notes };
}

type Read = { packages: Package[]; notes: Note[] } | { faults: Note[] };

function readOne(text: string, brands: readonly string[]): Read {
  const read = readPackage(text, { brands });
  if ("faults" in read) return read;
  const found = lintPackage(text, read.package, { brand: read.brand, place: "listing" });
  return { packages: [read.package], notes: [...read.notes, ...found.filter(isOfInput(() => read.package))] };
}

/** A list does not say whose spelling it has: it is the first brand's under which nothing is wrong. */
function readList(text: string, brands: readonly string[]): Read {
  let first: { faults: Note[] } | undefined;
  for (const brand of brands) {
    const read = readPackages(text, brand);
    if ("faults" in read) {
      first ??= read;
      continue;
    }
    const { packages } = read;
    const found = lintPackages(text, packages, brand);
    return { packages, notes: found.filter(isOfInput((pointer) => packages[Number(pointer.split("/")[2])])) };
  }
  return first ?? { faults: [] };
}

const MISSING = /^(?:download|install)-\w+-missing$/;
const VERSION = /\/versions\/(\d+)\//;

/** Where a version says nothing of its download, an archive of the input says it all; else that is told later. */
function isOfInput(packageAt: (pointer: string) => Package | undefined): (note: Note) => boolean {
  return ({ rule, pointer = "" }) => {
    if (rule === "list-too-large") return false;
    const version = packageAt(pointer)?.versions[Number(VERSION.exec(pointer)?.[1])];
    return !MISSING.test(rule) || version?.download_url !== undefined;
  };
}

function isList(text: string): boolean {
  try {
    return Array.isArray((JSON.parse(text) as { packages?: unknown } | null)?.packages);
  } catch {
    return false;
  }
}
