import { buffer } from "node:stream/consumers";
import { type OfferedPanel, PANEL_PACKAGE_LIMITS } from "@backplane/contract/panels";
import { BoundedMap } from "@backplane/kit/bounded-map";
import { limitConcurrency } from "@backplane/kit/concurrency";
import { Problem } from "@backplane/kit/problems";
import { type PanelFiles, unpackPanel } from "../panels/unpack-panel.ts";
import type { BlobStore } from "./blobs/blob-store.ts";
import type { Catalogue } from "./catalogue/catalogue.ts";
import type { ListedPackage, Release } from "./catalogue/listed-package.ts";
import type { OwnerNames } from "./owners.ts";
import { preferredOf, type SeenPackages } from "./seen-packages.ts";

type Options = {
  catalogue: Catalogue;
  blobs: BlobStore;
  seen: SeenPackages;
  names: OwnerNames;
  brands: readonly string[];
};

/** At most this many panels are in memory, unpacked: with the limit of each, 128 MiB. */
const MAX_UNPACKED = 32;
/** Whole archives that are in memory meanwhile. */
const MAX_READ_AT_ONCE = 2;

export type PanelPackages = ReturnType<typeof createPanelPackages>;

/** Packages with a panel, for workspaces. */
export function createPanelPackages({ catalogue, blobs, seen, names, brands }: Options) {
  const fewAtATime = limitConcurrency({ atOnce: MAX_READ_AT_ONCE });
  const unpacked = new BoundedMap<string, Promise<PanelFiles>>({ maxEntries: MAX_UNPACKED });

  const all = () => [...catalogue.packages.values(), ...catalogue.privatePackages.values()];

  async function offer({ package: { identifier }, ownerId }: ListedPackage, release: Release): Promise<OfferedPanel[]> {
    const { version, sha256, size, panel } = release;
    if (!panel) return [];
    const owner = await names.nameOf(ownerId);
    return [{ identifier, version: version.version, sha256, size, owner, status: version.status, panel }];
  }

  async function read(identifier: string, sha256: string): Promise<PanelFiles> {
    const release = seen.named(identifier)?.releases.find((each) => each.sha256 === sha256 && each.panel);
    const blob = release && (await blobs.read(release.blobKey));
    if (!blob) throw new Problem("package-unknown", { detail: "This version is not in the registry any more." });
    const archive = await buffer(blob.stream);
    const panel = await unpackPanel(archive, brands);
    // What the workspace has pinned, byte for byte.
    if ("faults" in panel || panel.sha256 !== sha256)
      throw new Problem("archives-unavailable", { detail: "This archive is not the one that was published." });
    return panel.files;
  }

  return {
    /** The preferred version of each package with a panel that this person may see: the latest stable one, or the latest. */
    async list(userId: string): Promise<OfferedPanel[]> {
      const found: OfferedPanel[] = [];
      for (const each of all()) {
        if (found.length >= PANEL_PACKAGE_LIMITS.maxOffered) break;
        const best = preferredOf(each.releases.filter(({ panel }) => panel));
        if (best && (await seen.maySee(userId, each))) found.push(...(await offer(each, best)));
      }
      return found;
    },
    /** All versions of one package that have a panel, latest first; none if this person may not see it. */
    async versions(userId: string, identifier: string): Promise<OfferedPanel[]> {
      const found = await seen.find(userId, identifier);
      if (!found) return [];
      return (await Promise.all(found.releases.map((release) => offer(found, release)))).flat();
    },
    /** Throws a Problem if it is gone, or not what was published. */
    files(identifier: string, sha256: string): Promise<PanelFiles> {
      const known = unpacked.get(sha256);
      if (known) return known;
      const reading = fewAtATime(() => read(identifier, sha256));
      unpacked.set(sha256, reading);
      reading.catch(() => unpacked.delete(sha256));
      return reading;
    },
    /** An archive that is not published. */
    unpack: (archive: Buffer) => unpackPanel(archive, brands),
  };
}
