import type { Package, PackageVersion } from "@backplane/contract/registry";
import type { ListedManifest } from "../manifests-json.ts";
import type { ChosenVersion } from "./choose-version.ts";
import type { Merged } from "./merge.ts";
import { archivePlace, manifestPlace } from "./places.ts";

/** A file that the repository names, and the bytes that it has. */
export type NamedFile = { place: string; sha256: string; size: number };

/** A package as it stands in the repository, with everything that it refers to there. */
export type Listed = {
  package: Package;
  /** The sha256 of its icon: that of the latest version. */
  icon?: string;
  manifests: ListedManifest[];
  /** Archives and manifests that have to be in the repository's folder. */
  files: NamedFile[];
};

export function listPackage({ package: about, versions }: Merged, baseUrl: string): Listed {
  const { identifier } = about;
  const manifests: ListedManifest[] = [];
  const files: NamedFile[] = [];
  const list = ({ version, archive }: ChosenVersion): PackageVersion => {
    if (archive === undefined) return version;
    const { sha256, size, manifest } = archive;
    const { version_epoch } = version;
    const names = { identifier, version: version.version, ...(version_epoch === undefined ? {} : { version_epoch }) };
    const place = archive.place ?? archivePlace(names, sha256);
    if (archive.place === undefined) files.push({ place, sha256, size });
    files.push({ place: manifestPlace(manifest.sha256), ...manifest });
    manifests.push({ ...names, url: `${baseUrl}/${manifestPlace(manifest.sha256)}`, ...manifest });
    return {
      ...version,
      download_url: `${baseUrl}/${place.split("/").map(encodeURIComponent).join("/")}`,
      download_sha256: sha256,
      download_size: size,
      install_size: archive.installSize,
    };
  };
  const listed = { ...about, versions: versions.map(list) };
  const icon = versions.find(({ archive }) => archive !== undefined)?.archive?.icon;
  return { package: listed, ...(icon === undefined ? {} : { icon }), manifests, files };
}
