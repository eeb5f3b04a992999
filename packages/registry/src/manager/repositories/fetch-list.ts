import { REGISTRY_LIMITS, type Repository, SCHEMA_V2_MEDIA_TYPE } from "@backplane/contract/registry";
import { readRepository } from "../../metadata/read.ts";
import { schemaVersionOf } from "../../metadata/schema-versions.ts";
import { REPOSITORY_NAMES } from "../../repository/building/places.ts";
import { type IndexStatement, signedPackages, type TrustedIndex } from "../../signing/signed-index.ts";
import { verifyIndex } from "../../signing/verify.ts";
import { sha256Of } from "../../values.ts";
import { ManagerFault } from "../faults.ts";
import type { ListWarning, RepositoryName } from "../manager-types.ts";
import { get } from "./download.ts";
import type { CachedList, ListCache } from "./list-cache.ts";
import { whyMismatch } from "./mismatch.ts";
import { type ReadList, readList } from "./read-list.ts";
import { leadsInside, shownUrl, type Transport } from "./transport.ts";
import type { TrustStore } from "./trust-store.ts";

export type ListSources = {
  transport: Transport;
  cache: ListCache;
  trust: TrustStore;
  brand: string;
  strict: boolean;
  now: () => number;
};

/** Version 2 of the schema if the server has it. */
const ACCEPT_V2 = `${SCHEMA_V2_MEDIA_TYPE}, application/json;q=0.9`;

export type FetchedList = ReadList & { repository: Repository; cached: CachedList; isNew: boolean };

/** Downloads and verifies a repository's list. The cache changes only when everything is verified. */
export async function fetchList(sources: ListSources, of: RepositoryName, fresh: boolean): Promise<FetchedList> {
  const { cache, trust, now } = sources;
  const known = fresh ? undefined : await cache.read(of.id);
  const { text, etag } = await fetchRepository(sources, of, known, fresh);
  const { repository, value, warnings } = checkRepository(text, of);
  const trusted = await trust.of(of.id);
  const verified = verify(sources, of, value, trusted);
  // The signature is valid whatever the files contain: from now on, older statements are rejected.
  if (verified && trusted) await trust.remember(of.id, verified.trust);
  const promised = promisedPackages(repository, verified?.statement);
  const got = await fetchPackages(sources, of, repository, promised, known, fresh);
  const list = readListOf(sources, of, repository, got.bytes);
  const cached: CachedList = {
    checkedAtMs: now(),
    repository: text,
    ...(etag === undefined ? {} : { etag }),
    packages: {
      sha256: got.sha256,
      updateTimestamp: repository.packages.update_timestamp,
      ...(got.etag === undefined ? {} : { etag: got.etag }),
    },
    ...(verified ? { expiresS: verified.statement.expires } : {}),
  };
  if (got.isNew) await cache.writePackages(of.id, got.sha256, got.bytes);
  if (verified && !trusted) await trust.remember(of.id, verified.trust);
  await cache.write(of.id, cached);
  const hidden = hiddenByVersion(of, repository, verified?.statement);
  return { ...list, warnings: [...warnings, ...hidden, ...list.warnings], repository, cached, isNew: got.isNew };
}

/** A web server that does not choose by `Accept`, or somebody on the way, gave the shorter list. */
function hiddenByVersion(
  { name }: RepositoryName,
  { schema_version }: Repository,
  statement: IndexStatement | undefined,
): ListWarning[] {
  if (statement?.packages_v2 === undefined || schemaVersionOf(schema_version) === 2) return [];
  const message = `${name} has packages that it does not list at this address, because version 1 of the schema cannot express them. Add ${REPOSITORY_NAMES[2]} of the same folder instead.`;
  return [{ level: "warning", rule: "version-1-only", message }];
}

/** The list that a repository.json names. */
export const readListOf = (
  { brand, strict }: ListSources,
  { name }: RepositoryName,
  { schema_version }: Repository,
  bytes: Buffer,
): ReadList => {
  const version = schemaVersionOf(schema_version);
  return readList(bytes.toString("utf8"), `packages.json of ${name}`, { brand, strict, version });
};

async function fetchRepository(
  { transport }: ListSources,
  of: RepositoryName,
  known: CachedList | undefined,
  fresh: boolean,
): Promise<{ text: string; etag?: string }> {
  const got = await get(transport, of.url, {
    what: `repository.json of ${of.name}`,
    maxBytes: transport.limits.maxRepositoryBytes,
    accept: ACCEPT_V2,
    fresh,
    ...(known?.etag === undefined ? {} : { etag: known.etag }),
  });
  if (got !== "not-modified") {
    return { text: got.bytes.toString("utf8"), ...(got.etag === undefined ? {} : { etag: got.etag }) };
  }
  if (known === undefined) throw new ManagerFault("http-status", `${shownUrl(of.url)} answers 304 to a first request.`);
  return { text: known.repository, ...(known.etag === undefined ? {} : { etag: known.etag }) };
}

/** Throws if it is invalid; a file that is only too large for KiCad gets a warning. */
export function checkRepository(text: string, of: RepositoryName) {
  const plain = text.replace(/^\uFEFF/, "");
  const read = readRepository(plain, { looseUrls: true });
  if ("faults" in read) {
    const [first] = read.faults;
    const isPage = /^\s*<(!doctype|html)/i.test(plain);
    const why = isPage ? "it is a web page" : `${first?.pointer || "the text"} ${first?.message}`;
    const place = isPage || first?.line === undefined ? "" : ` (line ${first.line}, column ${first.column})`;
    throw new ManagerFault(
      "repository-invalid",
      `${shownUrl(of.url)} is not a repository.json: ${why}${place}. Check the address, or tell its owner.`,
      { faults: read.faults },
    );
  }
  const size = Buffer.byteLength(text);
  const warnings: ListWarning[] = [];
  if (size > REGISTRY_LIMITS.maxRepositoryBytes) {
    const message = `repository.json of ${of.name} has ${size} bytes; KiCad reads at most ${REGISTRY_LIMITS.maxRepositoryBytes}.`;
    warnings.push({ level: "warning", rule: "repository-large", message });
  }
  return { ...read, warnings };
}

function verify(
  { brand, now, trust }: ListSources,
  of: RepositoryName,
  value: Record<string, unknown>,
  trusted: TrustedIndex | undefined,
): { statement: IndexStatement; trust: TrustedIndex } | undefined {
  if (trusted?.keys.length === 0) {
    throw new ManagerFault(
      "index-refused",
      `${trust.fileOf(of.id)}, the trusted keys of ${of.name}, cannot be read. Restore an older copy, or forget its keys and compare the new ones with those that its owner publishes.`,
      { reason: "unknown-key", repository: of.name },
    );
  }
  const verified = verifyIndex(value, { trusted, brand, nowS: Math.floor(now() / 1_000) });
  if ("statement" in verified) return verified;
  if ("unsigned" in verified) return undefined;
  const { code, message } = verified.refusal;
  throw new ManagerFault("index-refused", `${of.name}: ${message}`, { reason: code, repository: of.name });
}

type PromisedFile = { sha256?: string; size?: number };

function promisedPackages(
  { packages, schema_version }: Repository,
  statement: IndexStatement | undefined,
): PromisedFile {
  if (statement) return signedPackages(statement, schemaVersionOf(schema_version));
  return packages.sha256 === undefined ? {} : { sha256: packages.sha256 };
}

type GotPackages = { bytes: Buffer; sha256: string; etag?: string; isNew: boolean };

async function fetchPackages(
  { transport, cache }: ListSources,
  of: RepositoryName,
  { packages, schema_version }: Repository,
  promised: PromisedFile,
  known: CachedList | undefined,
  fresh: boolean,
): Promise<GotPackages> {
  const atHand = known && (await cache.readPackages(of.id, known.packages.sha256));
  const kept = known?.packages.etag === undefined ? {} : { etag: known.packages.etag };
  const matches = known !== undefined && (promised.sha256 ?? known.packages.sha256) === known.packages.sha256;
  if (atHand && matches && packages.update_timestamp === known.packages.updateTimestamp) {
    return { bytes: atHand, sha256: known.packages.sha256, ...kept, isNew: false };
  }
  const url = addressIn(packages.url, of.url);
  const got = await get(transport, url, {
    what: `packages.json of ${of.name}`,
    maxBytes: transport.limits.maxPackagesBytes,
    ...(schemaVersionOf(schema_version) === 2 ? { accept: ACCEPT_V2 } : {}),
    fresh,
    ...(atHand ? kept : {}),
  });
  if (got === "not-modified") {
    if (atHand && known && matches) return { bytes: atHand, sha256: known.packages.sha256, ...kept, isNew: false };
    throw new ManagerFault(
      "packages-sha256",
      `packages.json of ${of.name} is reported as unchanged, but must have changed.`,
    );
  }
  const sha256 = sha256Of(got.bytes);
  if (promised.sha256 !== undefined && sha256 !== promised.sha256) {
    const why = whyMismatch({ ...got, size: got.bytes.length }, { sha256: promised.sha256, size: promised.size });
    throw new ManagerFault(
      "packages-sha256",
      `packages.json of ${of.name} does not match repository.json: ${why}. The repository is not used. Tell its owner, or try again later.`,
      { expected: promised.sha256, actual: sha256, bytes: got.bytes.length },
    );
  }
  return { bytes: got.bytes, sha256, ...(got.etag === undefined ? {} : { etag: got.etag }), isNew: true };
}

/** Checks an address in a repository, which must not refer to files of this machine or lead further inside. */
export function addressIn(url: string, repositoryUrl: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !["http:", "https:", "file:"].includes(parsed.protocol)) {
    throw new ManagerFault(
      "bad-url",
      `"${url.slice(0, 200)}" is not an address to download from. Tell the repository's owner.`,
    );
  }
  if (parsed.protocol === "file:" && !repositoryUrl.startsWith("file:")) {
    throw new ManagerFault(
      "file-from-network",
      "A remote repository refers to a file on this machine. The file was not read. Tell the repository's owner.",
    );
  }
  const home = URL.parse(repositoryUrl);
  if (home !== null && leadsInside(parsed, home)) {
    throw new ManagerFault(
      "local-from-network",
      `A remote repository refers to ${shownUrl(url)}, an address of this machine or a private network. No request was sent. Tell the repository's owner.`,
    );
  }
  return url;
}
