import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomically } from "@backplane/kit/atomic-file";
import { isRecord, isSha256, sha256Of } from "../../values.ts";
import { readJson } from "./json-file.ts";

/** The last verified list of a repository. */
export type CachedList = {
  checkedAtMs: number;
  /** The text of repository.json. */
  repository: string;
  etag?: string;
  packages: { sha256: string; updateTimestamp: number; etag?: string };
  /** When the signed index expires, in seconds since 1970. */
  expiresS?: number;
};

/** list.json holds repository.json and the hash of packages.json, so the two always belong together. */
export type ListCache = {
  read(repositoryId: string): Promise<CachedList | undefined>;
  /** Undefined if it does not exist or was changed. */
  readPackages(repositoryId: string, sha256: string): Promise<Buffer | undefined>;
  writePackages(repositoryId: string, sha256: string, bytes: Uint8Array): Promise<void>;
  /** Undefined unless it has this hash. */
  readManifest(repositoryId: string, name: string, sha256: string): Promise<Buffer | undefined>;
  writeManifest(repositoryId: string, name: string, bytes: Uint8Array): Promise<void>;
  write(repositoryId: string, list: CachedList): Promise<void>;
  remove(repositoryId: string): Promise<void>;
};

export function openListCache(cacheFolder: string): ListCache {
  const folderOf = (id: string) => join(cacheFolder, "lists", id);
  const stateOf = (id: string) => join(folderOf(id), "list.json");
  const packagesOf = (id: string, sha256: string) => join(folderOf(id), `packages-${sha256}.json`);
  const manifestsOf = (id: string) => join(cacheFolder, "manifests", id);
  const manifestOf = (id: string, name: string) => join(manifestsOf(id), `${name}.json`);

  return {
    read: async (id) => asCachedList(await readJson(stateOf(id))),
    readPackages: (id, sha256) => readExact(packagesOf(id, sha256), sha256),
    readManifest: (id, name, sha256) => readExact(manifestOf(id, name), sha256),
    writeManifest: (id, name, bytes) => writeFileAtomically(manifestOf(id, name), bytes),
    writePackages: (id, sha256, bytes) => writeFileAtomically(packagesOf(id, sha256), bytes),
    write: async (id, list) => {
      await writeFileAtomically(stateOf(id), JSON.stringify(list));
      await dropOlder(folderOf(id), packagesOf(id, list.packages.sha256));
    },
    remove: async (id) => {
      for (const folder of [folderOf(id), manifestsOf(id)]) await rm(folder, { recursive: true, force: true });
    },
  };
}

async function readExact(file: string, sha256: string): Promise<Buffer | undefined> {
  const bytes = await readFile(file).catch(() => undefined);
  return bytes && sha256Of(bytes) === sha256 ? bytes : undefined;
}

/**
 * Only one list per repository stays. Files that are newer than ours belong to another process, which has not written
 * its list.json yet.
 */
async function dropOlder(folder: string, kept: string): Promise<void> {
  const limit = await stat(kept).catch(() => undefined);
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    if (file === kept || name === "list.json") continue;
    const found = await stat(file).catch(() => undefined);
    if (found && limit && found.mtimeMs < limit.mtimeMs) await rm(file, { force: true });
  }
}

function asCachedList(value: unknown): CachedList | undefined {
  if (!isRecord(value) || !isRecord(value.packages)) return undefined;
  const { checkedAtMs, repository, etag, expiresS } = value;
  const { sha256, updateTimestamp, etag: packagesEtag } = value.packages;
  if (typeof checkedAtMs !== "number" || typeof repository !== "string") return undefined;
  if (!isSha256(sha256) || typeof updateTimestamp !== "number") {
    return undefined;
  }
  return {
    checkedAtMs,
    repository,
    packages: { sha256, updateTimestamp, ...(typeof packagesEtag === "string" ? { etag: packagesEtag } : {}) },
    ...(typeof etag === "string" ? { etag } : {}),
    ...(typeof expiresS === "number" ? { expiresS } : {}),
  };
}
