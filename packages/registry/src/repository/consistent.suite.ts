import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SchemaVersion } from "@backplane/contract/registry";
import { readPackages, readRepository } from "../metadata/read.ts";
import { REPOSITORY_NAMES } from "./building/places.ts";
import { readManifest, readManifests } from "./manifests-json.ts";
import { shaOf } from "./workspace.suite.ts";

/** Reads everything that both repository.json refer to, as clients would; returns what version 1 of the schema lists. */
export function assertConsistent(out: string, baseUrl?: string, brand?: string): string[] {
  identifiersIn(out, 2, baseUrl, brand);
  return identifiersIn(out, 1, baseUrl, brand);
}

export function identifiersIn(
  out: string,
  version: SchemaVersion,
  baseUrl = "https://example.org/packages",
  brand = "tool",
): string[] {
  const at = (url: string) => {
    assert.ok(url.startsWith(`${baseUrl}/`), url);
    return join(out, decodeURIComponent(url.slice(baseUrl.length + 1)));
  };
  const fetch = ({ url, sha256, size }: { url: string; sha256?: string; size?: number }) => {
    assert.ok(existsSync(at(url)), `${url} is not there`);
    const bytes = readFileSync(at(url));
    assert.equal(shaOf(bytes), sha256, url);
    if (size !== undefined) assert.equal(bytes.length, size, url);
    return bytes;
  };

  const read = readRepository(readFileSync(join(out, REPOSITORY_NAMES[version]), "utf8"));
  assert.ok("repository" in read);
  const { repository } = read;
  const list = readPackages(fetch(repository.packages).toString(), brand, { version });
  assert.ok("packages" in list, JSON.stringify(list));
  if (repository.resources) fetch(repository.resources);
  assert.ok(repository.manifests);
  const manifests = readManifests(fetch(repository.manifests).toString());
  assert.ok(manifests);
  for (const versions of manifests.values()) {
    for (const file of versions.values()) assert.ok(readManifest(fetch(file).toString()));
  }
  for (const { versions } of list.packages) {
    for (const { download_url: url, download_sha256: sha256, download_size: size } of versions) {
      if (url?.startsWith(baseUrl)) fetch({ url, ...(sha256 && { sha256 }), ...(size !== undefined && { size }) });
    }
  }
  return list.packages.map(({ identifier }) => identifier);
}
