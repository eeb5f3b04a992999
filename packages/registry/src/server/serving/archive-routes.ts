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
import type { Release } from "../catalogue/listed-package.ts";
import { unpublishedProblem } from "../unpublished.ts";
import { FOREVER, PUBLIC_ROUTE, tags } from "./answer-file.ts";
import { namesFile, readRange } from "./http-headers.ts";

export type ArchiveRoutes = { catalogue: Catalogue; blobs: BlobStore; downloads: DownloadCounts };

/** Serves archives from the store, whole or in ranges. */
export function serveArchives(app: App, { catalogue, blobs, downloads }: ArchiveRoutes): void {
  app.route({
    ...PUBLIC_ROUTE,
    method: ["GET", "HEAD"],
    url: "/registry/archives/:identifier/:file",
    schema: {
      tags,
      summary: "The archive of a version: {identifier}-{version}.zip, with an epoch {identifier}-{epoch}-{version}.zip",
      params: Type.Object({ identifier: Type.String(), file: Type.String() }),
      produces: ["application/zip"],
    },
    handler: async (request, reply) => {
      const { identifier, file } = request.params;
      const number = readArchiveFileName(identifier, file);
      if (!number) throw new Problem("version-unknown");
      const key = identifier.toLowerCase();
      let release = find(key, number);
      if (!release) {
        // Another instance may have just published it. If nobody can tell, "unknown" would be a wrong answer.
        await catalogue.refresh();
        release = find(key, number);
      }
      if (!release) throw missing(key, number);
      const name = catalogue.packages.get(key)?.package.identifier ?? identifier;
      return answer(request, reply, release, { key, number, fileName: archiveFileName(name, release.version) });
    },
  });

  const find = (key: string, number: VersionNumber): Release | undefined =>
    catalogue.packages.get(key)?.releases.find((release) => compareVersions(release.number, number) === 0);

  function missing(key: string, number: VersionNumber): Problem {
    const listed = catalogue.packages.get(key);
    const gone = listed?.unpublished.find((each) => compareVersions(each.number, number) === 0);
    if (gone) return unpublishedProblem(gone);
    return new Problem(listed ? "version-unknown" : "package-unknown");
  }

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    { sha256, size, blobKey }: Release,
    { key, number, fileName }: { key: string; number: VersionNumber; fileName: string },
  ) {
    const { headers, method } = request;
    const etag = etagOf(sha256, "identity");
    const lasting = { etag, "cache-control": FOREVER, "accept-ranges": "bytes" };
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
      if (!find(key, number)) throw missing(key, number);
      throw new Problem("archives-unavailable", { detail: "This archive is missing from the store." });
    }
    // Not before the last byte was sent, and not for ranges: programs that read parts or give up have not downloaded it.
    if (range === "whole") reply.raw.once("finish", () => downloads.count(key, number, callerKey(request.ip)));
    return reply
      .code(range === "whole" ? 200 : 206)
      .headers(head)
      .send(blob.stream);
  }
}
