import type { Contact } from "@backplane/contract/registry";
import { writeRepository } from "../repository-json.ts";
import { type OldRepository, readOldRepository } from "./old-repository.ts";
import { INDEX_NAMES, type IndexPart } from "./places.ts";
import { type SigningOptions, signRepository } from "./sign-repository.ts";
import type { Index, IndexFile } from "./write-index.ts";

export type RepositoryOptions = {
  out: string;
  name: string;
  brand: string;
  baseUrl: string;
  maintainer?: Contact | undefined;
  schemaUrl?: string | undefined;
  signing?: SigningOptions | undefined;
  nowS: number;
};

/** repository.json for this index: the same bytes as before while the index is the same. */
export function nextRepository({ parts }: Index, options: RepositoryOptions): Buffer {
  const { out, name, brand, baseUrl, maintainer, schemaUrl, signing, nowS } = options;
  const old = readOldRepository(out);
  const named = ({ place, sha256, size }: IndexFile) => ({ url: `${baseUrl}/${place}`, sha256, size });
  const stated = ({ sha256, size }: IndexFile) => ({ sha256, size });
  const { packages, resources, manifests } = parts;
  return writeRepository({
    name,
    brand,
    maintainer,
    schemaUrl,
    packages: named(packages),
    resources: resources && named(resources),
    manifests: named(manifests),
    updateTimestamp: timestampOf(parts, old, nowS),
    signed:
      signing &&
      signRepository(
        {
          name,
          brand,
          packages: stated(packages),
          manifests: stated(manifests),
          ...(resources ? { resources: stated(resources) } : {}),
        },
        signing,
        old?.signed,
        nowS,
      ),
  });
}

/** Clients fetch again when it differs, some only when it is greater: it grows with every change, and only then. */
function timestampOf(parts: Index["parts"], old: OldRepository | undefined, nowS: number): number {
  if (old === undefined) return nowS;
  const names = Object.keys(INDEX_NAMES) as IndexPart[];
  const isSame = names.every((part) => parts[part]?.sha256 === old.sha256[part]);
  return isSame ? old.updateTimestamp : Math.max(nowS, old.updateTimestamp + 1);
}
