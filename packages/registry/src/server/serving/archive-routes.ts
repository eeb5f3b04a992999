import { type App, callerKey } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { compareVersions, type VersionNumber } from "../../versions/version-numbers.ts";
import type { BlobStore } from "../blobs/blob-store.ts";
import { archiveFileName, readArchiveFileName } from "../catalogue/archive-address.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { DownloadCounts } from "../catalogue/download-counts.ts";
import { etagOf } from "../catalogue/index-file.ts";
import type { ListedPackage, Release } from "../catalogue/listed-package.ts";
import { SecretToken } from "../private/addresses.ts";
import { unpublishedProblem } from "../unpublished.ts";
import { FOREVER, PUBLIC_ROUTE, SECRET, tags } from "./answer-file.ts";
import { type FindPackage, PACKAGE_PROBLEMS } from "./find-package.ts";
import { namesFile, readRange } from "./http-headers.ts";

export type ArchiveRoutes = {
  catalogue: Catalogue;
  blobs: BlobStore;
  downloads: DownloadCounts;
  findPackage: FindPackage;
  /** A package at a secret address. */
  findPrivate(token: string, identifier: string): Promise<ListedPackage>;
};

const Archive = { identifier: Type.String(), file: Type.String() };
const ARCHIVE_PROBLEMS = [
  ...PACKAGE_PROBLEMS,
  ...(["version-unknown", "version-unpublished", "range-not-satisfiable", "archives-unavailable"] as const),
];

/** Serves archives from the store, whole or in ranges. */
export function serveArchives(app: App, options: ArchiveRoutes): void {
  const { catalogue, blobs, downloads, findPackage, findPrivate } = options;

  app.route({
    ...PUBLIC_ROUTE,
    method: ["GET", "HEAD"],
    url: "/registry/archives/:identifier/:file",
    schema: {
      tags,
      summary: "The archive of a version: {identifier}-{version}.zip, with an epoch {identifier}-{epoch}-{version}.zip",
      problems: ARCHIVE_PROBLEMS,
      params: Type.Object(Archive),
      produces: ["application/zip"],
    },
    handler: (request, reply) => {
      const { identifier, file } = request.params;
      return send(request, reply, readArchiveFileName(identifier, file), () => findPackage(request, identifier));
    },
  });

  app.route({
    method: ["GET", "HEAD"],
    url: "/registry/private/:token/archives/:identifier/:file",
    schema: {
      tags,
      summary: "The archive of a version of a private package, at a secret address",
      problems: [...ARCHIVE_PROBLEMS, "not-found"],
      params: Type.Object({ token: SecretToken, ...Archive }),
      produces: ["application/zip"],
    },
    handler: (request, reply) => {
      const { token, identifier, file } = request.params;
      return send(request, reply, readArchiveFileName(identifier, file), () => findPrivate(token, identifier));
    },
  });

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    number: VersionNumber | undefined,
    look: () => Promise<ListedPackage>,
  ) {
    if (!number) throw new Problem("version-unknown");
    let found = await look();
    if (!releaseOf(found, number)) {
      // Another instance may have just published it. If nobody can tell, "unknown" would be a wrong answer.
      await catalogue.refresh();
      found = await look();
    }
    const release = releaseOf(found, number);
    if (!release) throw missing(found, number);
    return answer(request, reply, { found, release, number, look });
  }

  async function answer(request: FastifyRequest, reply: FastifyReply, { found, release, number, look }: Asked) {
    const { sha256, size, blobKey } = release;
    const fileName = archiveFileName(found.package.identifier, release.version);
    const { headers, method } = request;
    const etag = etagOf(sha256, "identity");
    const cacheControl = found.isPrivate ? SECRET : FOREVER;
    const lasting = { etag, "cache-control": cacheControl, "accept-ranges": "bytes" };
    if (headers["if-none-match"] !== undefined && namesFile(headers["if-none-match"], sha256)) {
      return reply.code(304).headers(lasting).send();
    }
    const ifRange = headers["if-range"]?.toString();
    const isSame = ifRange === undefined || ifRange === etag;
    const range = isSame && method === "GET" ? readRange(headers.range, size) : "whole";
    if (range === "unsatisfiable") {
      throw new Problem("range-not-satisfiable", { headers: { "content-range": `bytes */${size}` } });
    }
    const head = {
      ...lasting,
      "content-type": "application/zip",
      "content-disposition": `attachment; filename="${fileName}"`,
      "content-length": range === "whole" ? size : range.end - range.start + 1,
      ...(range === "whole" ? {} : { "content-range": `bytes ${range.start}-${range.end}/${size}` }),
    };
    if (method === "HEAD") return reply.headers(head).send();
    const blob = await blobs.read(blobKey, range === "whole" ? undefined : range);
    if (!blob) {
      // Another instance may have just unpublished it.
      await catalogue.refresh();
      const now = await look();
      if (!releaseOf(now, number)) throw missing(now, number);
      throw new Problem("archives-unavailable", { detail: "This archive is missing from the store." });
    }
    // Not before the last byte was sent, and not for ranges: programs that read parts or give up have not downloaded it.
    if (range === "whole") reply.raw.once("finish", () => downloads.count(found.key, number, callerKey(request.ip)));
    return reply
      .code(range === "whole" ? 200 : 206)
      .headers(head)
      .send(blob.stream);
  }
}

type Asked = { found: ListedPackage; release: Release; number: VersionNumber; look: () => Promise<ListedPackage> };

const releaseOf = ({ releases }: ListedPackage, number: VersionNumber): Release | undefined =>
  releases.find((release) => compareVersions(release.number, number) === 0);

function missing({ unpublished }: ListedPackage, number: VersionNumber): Problem {
  const gone = unpublished.find((each) => compareVersions(each.number, number) === 0);
  return gone ? unpublishedProblem(gone) : new Problem("version-unknown");
}
