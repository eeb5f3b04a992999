import { lstat, readFile } from "node:fs/promises";
import type { Package } from "@backplane/contract/registry";
import { folderOf } from "../../archives/archive.ts";
import { isRecord } from "../../values.ts";
import { InstallationFault, ifExists } from "../faults.ts";
import type { InstalledEntry } from "../manager-types.ts";
import { type Layout, STATE_FILE } from "./layout.ts";

/** installed_packages.json belongs to KiCad: what we do not understand in it stays unchanged. */
export type State = { bytes: Buffer | undefined; file: Record<string, unknown>; packages: unknown[] };

export type RawEntry = Record<string, unknown>;

const MAX_STATE_BYTES = 64 * 1024 * 1024;
/** As KiCad writes it. */
const INDENT = 4;

export async function readState(layout: Layout): Promise<State> {
  const stats = await ifExists(lstat(layout.state));
  if (stats === undefined) return { bytes: undefined, file: {}, packages: [] };
  if (!stats.isFile()) {
    const message = `${layout.state} is not a file. Replace it by a real file, then try again.`;
    throw new InstallationFault("link-in-the-way", message, { path: layout.state });
  }
  if (stats.size > MAX_STATE_BYTES) throw damaged(layout, "is too large");
  const bytes = await readFile(layout.state);
  const file = parse(layout, bytes);
  const { packages = [] } = file;
  if (!Array.isArray(packages)) throw damaged(layout, "has no list of packages");
  return { bytes, file, packages };
}

function parse(layout: Layout, bytes: Buffer): Record<string, unknown> {
  let value: unknown;
  try {
    // The decoder also removes a byte order mark.
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw damaged(layout, "is not JSON", error);
  }
  if (!isRecord(value)) throw damaged(layout, "is not an object");
  return value;
}

function damaged(layout: Layout, how: string, cause?: unknown): InstallationFault {
  const message = `${layout.state} ${how}. Nothing was changed. Fix it or restore an older copy; if you delete it, ${STATE_FILE} starts empty.`;
  return new InstallationFault("state-damaged", message, { path: layout.state }, { cause });
}

/** Entries that have a package and a version; the rest may be missing. */
export function entriesOf({ packages }: State): InstalledEntry[] {
  return packages.flatMap((raw) => {
    const identifier = identifierOf(raw);
    if (identifier === undefined || !isRecord(raw) || typeof raw.current_version !== "string") return [];
    return [
      {
        package: raw.package as Package,
        current_version: raw.current_version,
        repository_id: textOf(raw.repository_id),
        repository_name: textOf(raw.repository_name),
        install_timestamp: Number.isFinite(raw.install_timestamp) ? Number(raw.install_timestamp) : 0,
        pinned: raw.pinned === true,
      },
    ];
  });
}

/** The entry as in the file, including unknown keys. */
export function rawEntry({ packages }: State, identifier: string): RawEntry | undefined {
  const raw = packages.find((each) => identifierOf(each) === identifier);
  return isRecord(raw) ? raw : undefined;
}

/**
 * A folder that the design tool found without knowing what it is. It lists it with version 0.0, without a repository,
 * under an identifier made from the folder's name.
 */
export function isUnidentified({ package: { type }, current_version, repository_name }: InstalledEntry): boolean {
  return String(type) === "invalid" || (current_version === "0.0" && repository_name === "<unknown>");
}

/** Ignoring case, because some file systems do. */
export const sharesFolder = (a: string, b: string): boolean => folderOf(a).toLowerCase() === folderOf(b).toLowerCase();

/**
 * The file with this entry in place of the old one, or with neither; undefined if that changes nothing. Entries that the
 * tool made up for the package's folder are removed.
 */
export function withEntry(state: State, identifier: string, entry: RawEntry | null): Buffer | undefined {
  const { file, packages } = state;
  const at = packages.findIndex((raw) => identifierOf(raw) === identifier);
  const mistaken = entriesOf(state)
    .filter((each) => entry !== null && isUnidentified(each) && sharesFolder(each.package.identifier, identifier))
    .map((each) => each.package.identifier);
  const others = packages.filter((raw) => ![identifier, ...mistaken].includes(identifierOf(raw) ?? ""));
  if (entry !== null) others.splice(at === -1 ? others.length : at, 0, entry);
  if (JSON.stringify(others) === JSON.stringify(packages)) return undefined;
  return Buffer.from(`${JSON.stringify({ ...file, packages: others }, null, INDENT)}\n`);
}

function identifierOf(raw: unknown): string | undefined {
  if (!isRecord(raw) || !isRecord(raw.package)) return undefined;
  const { identifier } = raw.package;
  return typeof identifier === "string" ? identifier : undefined;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
