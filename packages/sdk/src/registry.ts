import type {
  CheckedUpload,
  PackageDetails,
  PackageType,
  Platform,
  PublishedVersion,
  Runtime,
  SearchAnswer,
  Status,
} from "@backplane/contract/registry";
import { type CallOptions, callBackplane, type SessionOptions } from "./call.ts";
import { invalidOption, RegistryError } from "./errors.ts";
import { type ApiRequest, unexpectedAnswer } from "./request.ts";
import { isObject, queryOf } from "./text.ts";

/** Reading needs no token; publishing needs a session's token, or an API key with the scope `publish`. */
export type RegistryOptions = CallOptions;
export type PublisherOptions = SessionOptions;

/** The user's design tool, such as `{ version: "9.0.2", platform: "linux" }`. */
export type ToolOptions = {
  tool?: { version: string; platform: Platform; runtime?: Runtime } | undefined;
};

export type SearchOptions = RegistryOptions &
  ToolOptions & {
    /** Words that must all be found; absent: every package. */
    query?: string | undefined;
    type?: PackageType | undefined;
    limit?: number | undefined;
    offset?: number | undefined;
  };

/** GET /registry/search; the best matches come first. */
export async function searchPackages(options: SearchOptions): Promise<SearchAnswer> {
  const { query, type, limit, offset } = options;
  const path = `/registry/search${queryOf({ q: query, type, limit, offset, ...toolQuery(options) })}`;
  const body = await callRegistry(options, { method: "GET", path });
  if (!isObject(body) || !Array.isArray(body.packages)) throw isNot("a list of packages");
  return body as SearchAnswer;
}

/** GET /registry/packages/{identifier}/details. With a tool, the answer says which version to install and why. */
export async function getPackage(
  options: RegistryOptions & ToolOptions & { identifier: string },
): Promise<PackageDetails> {
  const path = `/registry/packages/${encodeURIComponent(options.identifier)}/details${queryOf(toolQuery(options))}`;
  const body = await callRegistry(options, { method: "GET", path });
  if (!isObject(body) || !Array.isArray(body.versions)) throw isNot("a package");
  return body as PackageDetails;
}

export type UploadOptions = PublisherOptions & {
  /** The zip. For a file, `await openAsBlob(path)` of node:fs does not load it into memory. */
  archive: Blob;
  /** Who owns the package if it is new: the name of an organisation. Default: you. */
  owner?: string | undefined;
  /** If it is new: only its owner sees it, and whoever has a secret address. */
  private?: boolean | undefined;
};

/** POST /registry/packages: publishes a version. Versions never change: `refused` if this one exists. */
export async function publishPackage(options: UploadOptions): Promise<PublishedVersion> {
  const body = await upload(options, {});
  if (!isObject(body) || typeof body.identifier !== "string" || typeof body.version !== "string") {
    throw isNot("a published version");
  }
  return body as PublishedVersion;
}

/** Runs the same checks without publishing. */
export async function checkPackage(options: UploadOptions): Promise<CheckedUpload> {
  const body = await upload(options, { check: "true" });
  if (!isObject(body) || typeof body.publishable !== "boolean" || !Array.isArray(body.notes)) {
    throw isNot("the result of a check");
  }
  return body as CheckedUpload;
}

async function upload(options: UploadOptions, query: Record<string, string>): Promise<unknown> {
  const { archive, owner, private: isPrivate } = options;
  if (!(archive instanceof Blob)) throw invalidOption(RegistryError, "archive", "is not a Blob");
  return callRegistry(options, {
    method: "POST",
    path: `/registry/packages${queryOf({ ...query, owner, private: isPrivate ? "true" : undefined })}`,
    headers: { "content-type": "application/zip" },
    body: archive,
    answerMs: LIMITS.uploadMs,
  });
}

export type StatusOptions = PublisherOptions & {
  identifier: string;
  /** As in the address of its archive: "2.3.0", with an epoch "1-2.3.0". */
  version: string;
  status: Status;
};

/** PATCH …/versions/{version}: the only part of a published version that can change. */
export const setPackageStatus = (options: StatusOptions): Promise<void> =>
  changeVersion(options, "PATCH", { status: options.status });

export type VisibilityOptions = PublisherOptions & { identifier: string; private: boolean };

/** PATCH /registry/packages/{identifier}: makes a package private, or public. */
export async function setPackageVisibility(options: VisibilityOptions): Promise<void> {
  await callRegistry(options, {
    method: "PATCH",
    path: `/registry/packages/${encodeURIComponent(options.identifier)}`,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ private: options.private }),
  });
}

export type UnpublishOptions = Omit<StatusOptions, "status"> & {
  /** Everybody can read it. */
  reason: string;
};

/** DELETE …/versions/{version}: deletes the archive of a version. Its number stays reserved. */
export const unpublishPackage = (options: UnpublishOptions): Promise<void> =>
  changeVersion(options, "DELETE", { reason: options.reason });

async function changeVersion(
  options: Omit<StatusOptions, "status">,
  method: "PATCH" | "DELETE",
  body: object,
): Promise<void> {
  const { identifier, version } = options;
  await callRegistry(options, {
    method,
    path: `/registry/packages/${encodeURIComponent(identifier)}/versions/${encodeURIComponent(version)}`,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

const LIMITS = {
  answerMs: 15_000,
  /** Sending an upload and checking it. */
  uploadMs: 15 * 60_000,
  maxAnswerBytes: 8 * 1024 * 1024,
};

const callRegistry = (options: RegistryOptions, call: ApiRequest & { path: string; answerMs?: number }) =>
  callBackplane(RegistryError, options, { answerMs: LIMITS.answerMs, maxAnswerBytes: LIMITS.maxAnswerBytes, ...call });

const isNot = (what: string) => unexpectedAnswer(RegistryError, `The answer is not ${what}`);

const toolQuery = ({ tool }: ToolOptions) => ({
  tool: tool?.version,
  platform: tool?.platform,
  runtime: tool?.runtime,
});
