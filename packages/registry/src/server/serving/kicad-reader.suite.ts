import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Package, Repository } from "@backplane/contract/registry";
import { readManifest, readManifests } from "../../repository/manifests-json.ts";
import type { TrustedIndex } from "../../signing/signed-index.ts";
import { verifyIndex } from "../../signing/verify.ts";
import { BASE_URL } from "./registry-under-test.suite.ts";

export type ReaderOptions = {
  /** The instance that answers the next request. */
  next(): { url: string };
  brand: string;
  nowMs(): number;
  /** The longest pause between two requests. */
  upToMs: number;
};

const REQUEST_HEADERS = { "accept-encoding": "gzip,deflate" };
const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Sends requests in KiCad's order, slowly, and checks everything against what was named before. */
export function createReader({ next, brand, nowMs, upToMs }: ReaderOptions) {
  let trusted: TrustedIndex | undefined;
  let updateTimestamp = 0;

  async function get(url: string): Promise<Buffer> {
    const response = await fetch(url.replace(BASE_URL, next().url), { headers: REQUEST_HEADERS });
    const bytes = Buffer.from(await response.arrayBuffer());
    assert.equal(response.status, 200, `${url} ${bytes.toString("utf8", 0, 200)}`);
    return bytes;
  }

  return {
    /** Repository, packages, resources, manifests, one archive. `meanwhile` happens after the first. */
    async read(meanwhile: () => Promise<void> = () => pause(Math.random() * upToMs)): Promise<number> {
      const text = (await get(`${BASE_URL}/registry/${brand}/repository.json`)).toString();
      const value = JSON.parse(text) as Repository & Record<string, unknown>;
      const verified = verifyIndex(value, { trusted, nowS: Math.floor(nowMs() / 1_000) });
      assert.ok("statement" in verified, JSON.stringify(verified));
      const { statement, trust } = verified;
      assert.ok(value.packages.update_timestamp >= updateTimestamp, "time does not go back");
      trusted = trust;
      updateTimestamp = value.packages.update_timestamp;

      const files: Partial<Record<"packages" | "resources" | "manifests", Buffer>> = {};
      for (const part of ["packages", "resources", "manifests"] as const) {
        const named = value[part];
        if (!named) continue;
        await meanwhile();
        const bytes = await get(named.url);
        assert.equal(sha256(bytes), named.sha256, `${part} of ${statement.counter}`);
        assert.deepEqual(statement[part], { sha256: sha256(bytes), size: bytes.length });
        files[part] = bytes;
      }
      const { packages } = JSON.parse(String(files.packages)) as { packages: Package[] };
      await readOne(packages[Math.floor(Math.random() * packages.length)], String(files.manifests));
      return packages.reduce((sum, { versions }) => sum + versions.length, 0);
    },
  };

  async function readOne(one: Package | undefined, manifests: string): Promise<void> {
    const version = one?.versions[0];
    if (!one || !version) return;
    const archive = await get(version.download_url ?? "");
    assert.deepEqual([sha256(archive), archive.length], [version.download_sha256, version.download_size]);
    const listed = readManifests(manifests)?.get(one.identifier)?.get(version.version);
    assert.ok(listed, "every version has a manifest");
    const manifest = await get(listed.url);
    assert.deepEqual([sha256(manifest), manifest.length], [listed.sha256, listed.size]);
    assert.equal(readManifest(manifest.toString())?.identifier, one.identifier);
  }
}
