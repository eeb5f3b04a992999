import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folderOf, INSTALLED_FOLDERS } from "../../archives/archive.ts";

/** Files as KiCad 6.0.11 wrote them, shortened; addresses replaced. */

const person = { contact: { web: "https://example.org" }, name: "Demo" };

/** A package that KiCad installed from a repository. */
export const KICAD_INSTALLED = {
  current_version: "1.0.0",
  install_timestamp: 1_794_748_984,
  package: {
    author: person,
    description: "Two footprints and a symbol",
    description_full: "A small footprint library.",
    identifier: "org.example.demo-library",
    license: "MIT",
    maintainer: person,
    name: "Demo Library",
    resources: { homepage: "https://example.org/demo" },
    tags: ["demo"],
    type: "library",
    versions: [
      {
        download_sha256: "57922253cbcb96533fbcf813d421b2ff70b89b6a27253c39371d527ae5bcde5c",
        download_size: 1612,
        download_url: "https://example.org/archives/org.example.demo-library/1.0.0.zip",
        install_size: 759,
        kicad_version: "6.0",
        status: "stable",
        version: "1.0.0",
      },
    ],
  },
  repository_id: "f32bcd2f17a3724d",
  repository_name: "Example packages",
};

/** A folder without an entry: KiCad lists it, and writes this. */
export const kicadFound = (identifier: string) => ({
  current_version: "0.0",
  install_timestamp: 1_794_749_299,
  package: {
    author: { contact: {}, name: "" },
    description: "",
    description_full: "",
    identifier,
    license: "",
    name: folderOf(identifier),
    resources: {},
    type: "invalid",
    versions: [{ kicad_version: "6.0", status: "stable", version: "0.0" }],
  },
  repository_id: "",
  repository_name: "<unknown>",
});

export type KicadEntry = { current_version: string; package: { identifier: string; [key: string]: unknown } };

const UNKNOWN_TO_KICAD_6 = new Set(["pinned", "keep_on_update", "$schema", "category", "runtime"]);

/** Sorted keys, four spaces, no newline at the end. */
export function kicadText(packages: readonly unknown[]): string {
  return JSON.stringify({ packages }, (_, value) => (isPlain(value) ? sorted(value) : value), 4);
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const sorted = (value: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));

/** What closing KiCad's dialog does to the file: unknown keys are dropped. */
export function closeKicad(stateFile: string, change = (entries: KicadEntry[]): KicadEntry[] => entries): void {
  const { packages } = JSON.parse(readFileSync(stateFile, "utf8"), (key: string, value: unknown) =>
    UNKNOWN_TO_KICAD_6.has(key) ? undefined : value,
  ) as { packages: KicadEntry[] };
  writeFileSync(stateFile, kicadText(change(packages)));
}

export function uninstallInKicad(root: string, stateFile: string, identifier: string): void {
  for (const folder of INSTALLED_FOLDERS) {
    rmSync(join(root, folder, folderOf(identifier)), { recursive: true, force: true });
  }
  closeKicad(stateFile, (entries) => entries.filter((entry) => entry.package.identifier !== identifier));
}
