import { lintPackage } from "../../metadata/lint.ts";
import { type Note, readPackage } from "../../metadata/read.ts";
import { writeManifest } from "../manifests-json.ts";
import type { Input } from "./find-inputs.ts";
import { faultOf, type ReadInput } from "./source.ts";
import type { Staging } from "./staging.ts";
import type { Taken } from "./take-archive.ts";

type ReadArchiveOptions = { staging: Staging; brands: readonly string[] };

/** What an archive says of itself; its file list and its icon are staged. */
export function readArchive(input: Input, taken: Taken, { staging, brands }: ReadArchiveOptions): ReadInput {
  const { shown, place } = input;
  if ("unreadable" in taken) {
    return { faults: [faultOf(shown, "unreadable", `It cannot be read: ${taken.unreadable}`)] };
  }
  if ("refusal" in taken) {
    const { reason, message, path: entry } = taken.refusal;
    return { faults: [faultOf(shown, reason, entry === undefined ? message : `${entry}: ${message}`)] };
  }
  const { archive, sha256, size } = taken;
  const read = readPackage(archive.metadata, { brands });
  if ("faults" in read) return { faults: read.faults.map((fault) => ({ ...fault, path: shown })) };
  const { identifier, versions } = read.package;
  const [version, ...others] = versions;
  if (version === undefined || others.length > 0) {
    const message = `metadata.json of an archive names exactly one version, here are ${versions.length}.`;
    return { faults: [faultOf(shown, "one-version", message)] };
  }
  const { version_epoch } = version;
  const manifest = writeManifest({
    identifier,
    version: version.version,
    ...(version_epoch === undefined ? {} : { version_epoch }),
    files: archive.files,
  });
  const facts = {
    sha256,
    size,
    installSize: archive.installSize,
    manifest: { sha256: staging.keep(manifest), size: manifest.length },
    ...(archive.icon ? { icon: staging.keep(archive.icon) } : {}),
    ...(place === undefined ? {} : { place }),
  };
  const found = lintPackage(archive.metadata, read.package, { brand: read.brand }).filter(isOfOne);
  return {
    sources: [{ file: shown, package: read.package, archive: facts }],
    notes: [...read.notes, ...found].map((note) => ({ ...note, path: shown })),
  };
}

/** Of one version alone it says little that it is the only one. */
const isOfOne = ({ rule }: Note): boolean => rule !== "versions-deprecated";
