import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { get } from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync, inflateSync } from "node:zlib";

type Named = { url: string; sha256: string; update_timestamp: number };
type Repository = { packages: Named; resources: Named };
type Version = { version: string; download_url: string; download_sha256: string; kicad_version: string };
type Listed = { packages: { identifier: string; versions: Version[] }[] };

const STATUS_OK = 200;

/** Requests like KiCad's: HTTP/1.1, a new connection each time, never conditional. */
async function ask(url: string): Promise<Buffer> {
  const response = await new Promise<import("node:http").IncomingMessage>((resolve, reject) => {
    get(url, { agent: false, headers: { "accept-encoding": "gzip,deflate", "user-agent": "KiCad" } }, resolve).once(
      "error",
      reject,
    );
  });
  const bytes = await buffer(response);
  assert.equal(response.statusCode, STATUS_OK, `${url}: ${bytes.toString("utf8", 0, 200)}`);
  switch (response.headers["content-encoding"]) {
    case "gzip":
      return gunzipSync(bytes);
    case "deflate":
      return inflateSync(bytes);
    default:
      return bytes;
  }
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/**
 * Makes KiCad's requests in order, down to the archive of one package's latest version, and checks every hash against
 * the one announced before. Returns the number of listed versions.
 */
export async function readAsKicad(
  url: string,
  { meanwhile, choose }: { meanwhile: () => Promise<unknown>; choose: (count: number) => number },
): Promise<number> {
  const repository = JSON.parse(String(await ask(`${url}/registry/kicad/repository.json`))) as Repository;
  await meanwhile();
  const packages = await ask(repository.packages.url);
  assert.equal(sha256(packages), repository.packages.sha256, "packages.json has the announced hash");
  await meanwhile();
  const resources = await ask(repository.resources.url);
  assert.equal(sha256(resources), repository.resources.sha256, "resources.zip has the announced hash");
  await meanwhile();
  const { packages: listed } = JSON.parse(String(packages)) as Listed;
  const version = listed[choose(listed.length)]?.versions[0];
  assert.ok(version, "a version is listed");
  assert.equal(typeof version.kicad_version, "string");
  assert.equal(sha256(await ask(version.download_url)), version.download_sha256, version.download_url);
  return listed.reduce((sum, { versions }) => sum + versions.length, 0);
}
