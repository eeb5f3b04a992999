import { open } from "node:fs/promises";
import type { PackageVersion } from "@backplane/contract/registry";
import { versionKey } from "../../versions/version-numbers.ts";
import { ManagerFault } from "../faults.ts";
import type { Downloaded } from "./download.ts";
import { addressIn } from "./fetch-list.ts";
import { whyMismatch } from "./mismatch.ts";

/** An archive, and what its bytes must be. */
export type WantedArchive = {
  identifier: string;
  /** For people: "org.example.router 2.3.0". */
  what: string;
  url: string;
  sha256?: string;
  size?: number;
};

/** Throws if the metadata has no download address, or no hash to verify the archive with. */
export function wantedArchive(
  identifier: string,
  version: PackageVersion,
  repositoryUrl: string,
  allowUnverified = false,
): WantedArchive {
  const { download_url: url, download_sha256: sha256, download_size: size } = version;
  const what = `${identifier} ${versionKey(version)}`;
  const details = { identifier, version: versionKey(version) };
  if (url === undefined || url === "") {
    throw new ManagerFault(
      "no-download-url",
      `${what} cannot be installed: its metadata has no download_url. Tell its publisher, or choose another version.`,
      details,
    );
  }
  if (sha256 === undefined && !allowUnverified) {
    throw new ManagerFault(
      "no-sha256",
      `${what} was not installed: its metadata has no download_sha256, so the archive cannot be verified. Tell its publisher, or allow unverified archives.`,
      details,
    );
  }
  return {
    identifier,
    what,
    url: addressIn(url, repositoryUrl),
    ...(sha256 === undefined ? {} : { sha256 }),
    ...(size === undefined ? {} : { size }),
  };
}

/** Undefined if it is the right archive. */
export async function findMismatch(
  { identifier, what, sha256, size }: WantedArchive,
  got: Downloaded,
  file: string,
): Promise<ManagerFault | undefined> {
  const details = { identifier, bytes: got.size, expectedBytes: size, sha256: got.sha256, expectedSha256: sha256 };
  const isRight = sha256 === undefined || got.sha256 === sha256;
  if (isRight && (size === undefined || size === got.size)) return undefined;
  const bytes = await startOf(file);
  const promised = { sha256: sha256 ?? got.sha256, size };
  const why = whyMismatch({ bytes, size: got.size, contentType: got.contentType }, promised);
  const next = "Nothing was changed. Tell its publisher, or try again later.";
  if (isRight || (size !== undefined && size !== got.size)) {
    const rest = isRight && sha256 !== undefined ? " Its sha256 is right: the size in the metadata is wrong." : "";
    const sizes = `${got.size} bytes were received, but its metadata has ${size}`;
    const cause = why.includes("web page") ? ` (${why})` : "";
    return new ManagerFault("wrong-size", `${what} has the wrong size: ${sizes}${cause}.${rest} ${next}`, details);
  }
  return new ManagerFault("wrong-sha256", `${what} does not match its metadata: ${why}. ${next}`, details);
}

const MAX_LOOKED_AT_BYTES = 1024 * 1024;

async function startOf(file: string): Promise<Buffer> {
  await using handle = await open(file, "r");
  const buffer = Buffer.alloc(MAX_LOOKED_AT_BYTES);
  const { bytesRead } = await handle.read(buffer, 0, MAX_LOOKED_AT_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}
