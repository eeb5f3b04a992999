import type { FoundPackage } from "@backplane/contract/registry";
import { type AskedTool, fitOf } from "./fit.ts";
import type { ListedPackage } from "./listed-package.ts";

/** One line of the list. */
export function foundPackage(
  { package: listed, releases, icon, updatedAtMs }: ListedPackage,
  { owner, downloads, asked }: { owner: string; downloads: number; asked: AskedTool | undefined },
): FoundPackage {
  const fit = asked && fitOf(listed.versions, listed.type, asked);
  // One version may stand there in two epochs, of which only one works.
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
