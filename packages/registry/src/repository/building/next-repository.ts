import { join } from "node:path";
import type { Contact, SchemaVersion } from "@backplane/contract/registry";
import { readRepository } from "../../metadata/read.ts";
import { fromBase64url, publicKeyOf, type SigningKey } from "../../signing/keys.ts";
import {
  type IndexStatement,
  readStatement,
  SIGNED_KEY,
  SIGNING_LIMITS,
  type SignedFile,
  type SignedIndex,
  signIndex,
} from "../../signing/signed-index.ts";
import { writeRepository } from "../repository-json.ts";
import { INDEX_NAMES, type IndexPart, REPOSITORY_NAMES } from "./places.ts";
import { readIfExists } from "./staging.ts";
import type { Index, IndexFile } from "./write-index.ts";

export type RepositoryOptions = {
  /** Archives that are already in it are served from there; all others are copied into it. */
  out: string;
  name: string;
  brand: string;
  /** The address at which `out` will be served. */
  baseUrl: string;
  maintainer?: Contact | undefined;
  schemaUrl?: string | undefined;
  signing?: SigningOptions | undefined;
  nowS: number;
};

/** repository.json for this index, by version of the schema; the same bytes as before if the index is the same. */
export function nextRepository({ parts }: Index, options: RepositoryOptions): Record<SchemaVersion, Buffer> {
  const { out, name, brand, baseUrl, maintainer, schemaUrl, signing, nowS } = options;
  const old = readOldRepository(out);
  const named = ({ place, sha256, size }: IndexFile) => ({ url: `${baseUrl}/${place}`, sha256, size });
  const stated = ({ sha256, size }: IndexFile) => ({ sha256, size });
  const { packages, packages_v2, resources, manifests } = parts;
  const written = {
    name,
    brand,
    maintainer,
    schemaUrl,
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
          ...(packages_v2 ? { packages_v2: stated(packages_v2) } : {}),
          manifests: stated(manifests),
          ...(resources ? { resources: stated(resources) } : {}),
        },
        signing,
        old?.signed,
        nowS,
      ),
  };
  return {
    1: writeRepository({ ...written, packages: named(packages) }),
    2: writeRepository({ ...written, packages: named(packages_v2 ?? packages), schemaVersion: 2 }),
  };
}

/** Clients download again when it differs, some only when it is greater, so it grows with every change. */
function timestampOf(parts: Index["parts"], old: OldRepository | undefined, nowS: number): number {
  if (old === undefined) return nowS;
  const names = Object.keys(INDEX_NAMES) as IndexPart[];
  const isSame = names.every((part) => parts[part]?.sha256 === old.sha256[part]);
  return isSame ? old.updateTimestamp : Math.max(nowS, old.updateTimestamp + 1);
}

export type SigningOptions = {
  signingKey: SigningKey;
  /** Keys that also sign, but are replaced: clients that trust them then trust the new key. */
  oldKeys?: readonly SigningKey[] | undefined;
  /** How long clients accept the signature: build and upload again before then. */
  lifeS?: number | undefined;
};

type Statable = { name: string; brand: string } & Partial<Record<IndexPart, SignedFile>> & {
    packages: SignedFile;
  };

/** The old signature while it states the same and is recent; otherwise a new one with a higher counter. */
export function signRepository(
  stated: Statable,
  { signingKey, oldKeys = [], lifeS = SIGNING_LIMITS.lifeS }: SigningOptions,
  old: OldRepository["signed"],
  nowS: number,
): SignedIndex {
  const signers = [signingKey, ...oldKeys];
  const { name, brand, packages, packages_v2, resources, manifests } = stated;
  const fresh: IndexStatement = {
    format: "backplane-index-1",
    name,
    brand,
    // The time in seconds, so that it grows even if the last counter is lost.
    counter: Math.max(nowS, (old?.statement.counter ?? 0) + 1),
    issued: nowS,
    expires: nowS + lifeS,
    packages,
    ...(packages_v2 ? { packages_v2 } : {}),
    ...(resources ? { resources } : {}),
    ...(manifests ? { manifests } : {}),
    keys: [publicKeyOf(signingKey)],
  };
  if (old === undefined) return signIndex(fresh, signers);
  const { counter, issued, expires } = old.statement;
  const again = signIndex({ ...fresh, counter, issued, expires }, signers);
  const renewAfterS = (lifeS * SIGNING_LIMITS.renewAfterS) / SIGNING_LIMITS.lifeS;
  const isYoung = issued <= nowS && nowS < issued + renewAfterS && expires === issued + lifeS;
  return isYoung && JSON.stringify(again) === JSON.stringify(old.index) ? again : signIndex(fresh, signers);
}

/** The parts of the existing repository.json that the next one depends on. */
type OldRepository = {
  updateTimestamp: number;
  sha256: Partial<Record<IndexPart, string>>;
  signed?: { index: SignedIndex; statement: IndexStatement };
};

export function readOldRepository(out: string): OldRepository | undefined {
  const [first, second] = [readWritten(out, 1), readWritten(out, 2)];
  if (!first) return undefined;
  const { packages, resources, manifests } = first.repository;
  const newer = second?.repository.packages;
  const signed = signedIn(first.value[SIGNED_KEY]);
  return {
    updateTimestamp: Math.max(packages.update_timestamp, newer?.update_timestamp ?? 0),
    sha256: {
      ...(packages.sha256 === undefined ? {} : { packages: packages.sha256 }),
      ...(newer?.sha256 === undefined || newer.sha256 === packages.sha256 ? {} : { packages_v2: newer.sha256 }),
      ...(resources?.sha256 === undefined ? {} : { resources: resources.sha256 }),
      ...(manifests?.sha256 === undefined ? {} : { manifests: manifests.sha256 }),
    },
    ...(signed ? { signed } : {}),
  };
}

function readWritten(out: string, version: SchemaVersion) {
  const bytes = readIfExists(join(out, REPOSITORY_NAMES[version]));
  const read = bytes && readRepository(bytes.toString());
  return read === undefined || "faults" in read ? undefined : read;
}

function signedIn(value: unknown): OldRepository["signed"] {
  const index = value as Partial<SignedIndex> | undefined;
  if (typeof index?.statement !== "string" || !Array.isArray(index.signatures)) return undefined;
  const bytes = fromBase64url(index.statement);
  const statement = bytes && readStatement(bytes);
  return statement && { index: index as SignedIndex, statement };
}
