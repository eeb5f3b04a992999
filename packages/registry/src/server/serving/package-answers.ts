import {
  type DetailedVersion,
  type FoundPackage,
  Package,
  type PackageDetails,
  PackageVersion,
} from "@backplane/contract/registry";
import { whyNotV1 } from "../../metadata/schema-versions.ts";
import { explainPreferred } from "../../versions/choose-version.ts";
import { whyIncompatible } from "../../versions/compatibility.ts";
import type { ListedPackage, Release } from "../catalogue/listed-package.ts";
import { type AskedTool, fitOf, versionsFor } from "./fit.ts";

type DetailsOptions = {
  owner: string;
  asked: AskedTool | undefined;
  mayPublish: boolean;
  downloadsOf(release: Release): number;
  nameOf(userId: string): string;
};

/** What the page of a package shows. */
export function packageDetails(found: ListedPackage, options: DetailsOptions): PackageDetails {
  const { package: listed, releases } = found;
  const explained = explain(found, options.asked);
  const versions = releases.map((release, place) => ({ ...detailed(release, options), ...explained[place] }));
  const needed = whyNotV1(listed);
  return {
    ...known(Package, listed),
    ...(needed ? { needs_v2: needed.because } : {}),
    tags: listed.tags ?? [],
    keep_on_update: listed.keep_on_update ?? [],
    owner: options.owner,
    has_icon: found.icon !== undefined,
    downloads: versions.reduce((sum, { downloads }) => sum + downloads, 0),
    versions,
    unpublished: found.unpublished.map(({ version, number, reason, atMs, by }) => ({
      ...{ version, version_epoch: number[0], reason },
      unpublished_at: new Date(atMs).toISOString(),
      unpublished_by: options.nameOf(by),
    })),
    private: found.isPrivate,
    may_publish: options.mayPublish,
  };
}

/** Only the fields that the contract declares: publishers may add others. */
function known<Value extends object>({ properties }: { properties: object }, value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([key]) => Object.hasOwn(properties, key))) as Value;
}

function detailed(release: Release, { downloadsOf, nameOf }: DetailsOptions): DetailedVersion {
  const { version, number, sha256, size, installSize, fileCount, publishedBy, publishedAtMs } = release;
  return {
    ...known(PackageVersion, version),
    version_epoch: number[0],
    download_url: version.download_url ?? "",
    download_sha256: sha256,
    download_size: size,
    install_size: installSize,
    file_count: fileCount,
    published_at: new Date(publishedAtMs).toISOString(),
    published_by: nameOf(publishedBy),
    downloads: downloadsOf(release),
    ...(release.panel ? { panel: release.panel } : {}),
    screenshots: release.screenshots.map(({ sha256: hash, name, width, height }) => ({
      sha256: hash,
      name,
      width,
      height,
    })),
  };
}

type Explanation = Pick<DetailedVersion, "chosen" | "because" | "works">;

/** In the same order as the versions: latest first. */
function explain({ package: listed }: ListedPackage, asked: AskedTool | undefined): Explanation[] {
  if (!asked) return [];
  const versions = versionsFor(listed.versions, asked);
  return explainPreferred(versions, listed.type, asked.tool).map(({ listed: version, chosen, because }) => ({
    chosen,
    because,
    works: whyIncompatible(version, listed.type, asked.tool) === undefined,
  }));
}

/** One search result. */
export function foundPackage(
  { package: listed, releases, icon, updatedAtMs }: ListedPackage,
  { owner, downloads, asked }: { owner: string; downloads: number; asked: AskedTool | undefined },
): FoundPackage {
  const fit = asked && fitOf(listed.versions, listed.type, asked);
  // The same version may exist in two epochs, of which only one works.
  const fitting = listed.versions.find(
    ({ version, status }) => version === fit?.version && (status === "stable") === (fit?.state === "works"),
  );
  const shown = fitting ?? listed.versions.find(({ status }) => status === "stable") ?? listed.versions[0];
  const publishedAtMs = Math.max(updatedAtMs, ...releases.map((release) => release.publishedAtMs));
  return {
    identifier: listed.identifier,
    name: listed.name,
    description: listed.description,
    type: listed.type,
    license: listed.license,
    tags: listed.tags ?? [],
    author: listed.author.name,
    owner,
    has_icon: icon !== undefined,
    ...(shown ? { version: shown.version, status: shown.status } : {}),
    published_at: new Date(publishedAtMs).toISOString(),
    downloads,
    ...(fit ? { fit } : {}),
  };
}
