import { MANIFEST_LIMITS, type Manifest, readManifest, readManifests } from "../../repository/manifests-json.ts";
import { sha256Of } from "../../values.ts";
import { versionKey } from "../../versions/version-numbers.ts";
import { ManagerFault } from "../faults.ts";
import type { RepositoryName } from "../manager-types.ts";
import { get } from "./download.ts";
import { addressIn, checkRepository, type ListSources } from "./fetch-list.ts";
import { whyMismatch } from "./mismatch.ts";

/** No identifier begins with a dot. */
const INDEX_NAME = ".manifests";

/**
 * The file list of one version as its repository publishes it; undefined if it does not, or without a hash. The cached
 * repository.json was verified when it was downloaded: if it is signed, so is the hash of manifests.json, and that file
 * has the hash of each manifest.
 */
export async function publishedManifest(
  sources: ListSources,
  of: RepositoryName,
  wanted: { identifier: string; version: string; version_epoch?: number },
): Promise<Manifest | undefined> {
  const atHand = await sources.cache.read(of.id);
  const { url, sha256 } = (atHand && checkRepository(atHand.repository, of).repository.manifests) ?? {};
  if (url === undefined || sha256 === undefined) return undefined;
  const maxBytes = MANIFEST_LIMITS.maxManifestsBytes;
  const what = `manifests.json of ${of.name}`;
  const index = await fetchExact(sources, of, { url, sha256, what, name: INDEX_NAME, maxBytes });
  const { identifier } = wanted;
  const file = readManifests(index)?.get(identifier)?.get(versionKey(wanted));
  if (file === undefined) return undefined;
  const about = `the file list of ${identifier} ${versionKey(wanted)}`;
  const { maxManifestBytes } = sources.transport.limits;
  const text = await fetchExact(sources, of, { ...file, what: about, name: identifier, maxBytes: maxManifestBytes });
  const manifest = readManifest(text);
  const isOfThis = manifest?.identifier === identifier && versionKey(manifest) === versionKey(wanted);
  return isOfThis ? manifest : undefined;
}

type ExactFile = { url: string; sha256: string; what: string; name: string; maxBytes: number };

/** A file with this hash, from the cache if it is there. */
async function fetchExact(
  { transport, cache }: ListSources,
  of: RepositoryName,
  { url, sha256, what, name, maxBytes }: ExactFile,
): Promise<string> {
  const kept = await cache.readManifest(of.id, name, sha256);
  if (kept) return kept.toString("utf8");
  const got = await get(transport, addressIn(url, of.url), { what, maxBytes });
  if (got === "not-modified")
    throw new ManagerFault("http-status", `${what} cannot be downloaded: the server answers 304.`);
  const actual = sha256Of(got.bytes);
  if (actual !== sha256) {
    const why = whyMismatch({ ...got, size: got.bytes.length }, { sha256 });
    throw new ManagerFault(
      "index-refused",
      `${what} does not match the repository: ${why}. It is not used. Tell the repository's owner, or try again later.`,
      { reason: "sha256", expected: sha256, actual },
    );
  }
  await cache.writeManifest(of.id, name, got.bytes);
  return got.bytes.toString("utf8");
}
