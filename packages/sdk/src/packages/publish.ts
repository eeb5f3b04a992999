import { isObject } from "../sign-in/is-object.ts";
import { callRegistry, type PublisherOptions, unexpectedAnswer } from "./call.ts";
import { RegistryError } from "./errors.ts";
import { REGISTRY_CALL_LIMITS } from "./limits.ts";
import type { CheckedPackage, PackageStatus, PublishedPackage } from "./types.ts";

export type UploadOptions = PublisherOptions & {
  /** The zip. A file: `await openAsBlob(path)` of node:fs, which does not load it into memory. */
  archive: Blob;
  /** Whose package a new one becomes: an organisation's name. Default: your own. */
  owner?: string | undefined;
};

/** POST /registry/packages: the version is listed for everybody. Its bytes never change: `refused` when it exists. */
export async function publishPackage(options: UploadOptions): Promise<PublishedPackage> {
  const body = await upload(options, {});
  if (!isObject(body) || typeof body.identifier !== "string" || typeof body.version !== "string") {
    throw unexpectedAnswer("The answer is no published version");
  }
  return body as PublishedPackage;
}

/** The same checks, and nothing is kept. */
export async function checkPackage(options: UploadOptions): Promise<CheckedPackage> {
  const body = await upload(options, { check: "true" });
  if (!isObject(body) || typeof body.publishable !== "boolean" || !Array.isArray(body.notes)) {
    throw unexpectedAnswer("The answer is no result of a check");
  }
  return body as CheckedPackage;
}

async function upload(options: UploadOptions, query: Record<string, string>): Promise<unknown> {
  const { archive, owner } = options;
  if (!(archive instanceof Blob)) {
    throw new RegistryError("invalid-option", "archive is no Blob.", { field: "archive" });
  }
  const asked = new URLSearchParams({ ...query, ...(owner === undefined ? {} : { owner }) }).toString();
  return callRegistry(options, {
    method: "POST",
    path: `/registry/packages${asked === "" ? "" : `?${asked}`}`,
    headers: { "content-type": "application/zip" },
    body: archive,
    answerMs: REGISTRY_CALL_LIMITS.uploadMs,
  });
}

export type StatusOptions = PublisherOptions & {
  identifier: string;
  /** As its archive's address has it: "2.3.0", with an epoch "1-2.3.0". */
  version: string;
  status: PackageStatus;
};

/** PATCH …/versions/{version}: the only thing about a published version that may change. */
export async function setPackageStatus(options: StatusOptions): Promise<void> {
  const { identifier, version, status } = options;
  await callRegistry(options, {
    method: "PATCH",
    path: `/registry/packages/${encodeURIComponent(identifier)}/versions/${encodeURIComponent(version)}`,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ status }),
  });
}
