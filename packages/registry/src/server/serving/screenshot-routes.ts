import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { inflateRaw } from "node:zlib";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { Type } from "typebox";
import type { Screenshot } from "../../archives/archive.ts";
import type { BlobStore } from "../blobs/blob-store.ts";
import { indexFile } from "../catalogue/index-file.ts";
import type { ListedPackage } from "../catalogue/listed-package.ts";
import { answerOnce, FOREVER, limitAnswers, PUBLIC_ROUTE, SECRET, served, tags } from "./answer-file.ts";
import { type FindPackage, PACKAGE_PROBLEMS } from "./find-package.ts";

const inflate = promisify(inflateRaw);

/** Each is read into memory as a whole. */
const AT_ONCE = 4;
/** A page shows at most eight. */
const MAX_WAITING = 200;
const SHA256_CHARACTERS = 64;

/** The pictures for the page of a package. They are read from its archives, where publishing found them. */
export function serveScreenshots(
  app: App,
  { findPackage, blobs }: { findPackage: FindPackage; blobs: BlobStore },
): void {
  const limited = limitAnswers({ atOnce: AT_ONCE, maxWaiting: MAX_WAITING });

  function find({ releases }: ListedPackage, sha256: string): { blobKey: string; screenshot: Screenshot } | undefined {
    for (const { blobKey, screenshots } of releases) {
      const screenshot = screenshots.find((each) => each.sha256 === sha256);
      if (screenshot) return { blobKey, screenshot };
    }
    return undefined;
  }

  app.route({
    ...PUBLIC_ROUTE,
    method: ["GET", "HEAD"],
    url: "/registry/packages/:identifier/screenshots/:file",
    schema: {
      tags,
      summary: "A screenshot of a package: {sha256}.png, as its details name it",
      problems: [...PACKAGE_PROBLEMS, "not-found", "archives-unavailable", "too-many-requests"],
      params: Type.Object({
        identifier: Type.String({ maxLength: 100 }),
        file: Type.String({ pattern: "^[a-f0-9]{64}[.]png$", examples: [`${"9f86d081".repeat(8)}.png`] }),
      }),
      produces: ["image/png"],
    },
    handler: (request, reply) =>
      limited(async () => {
        if (reply.raw.destroyed) return;
        const { identifier, file } = request.params;
        const listed = await findPackage(request, identifier);
        const found = find(listed, file.slice(0, SHA256_CHARACTERS));
        if (!found) throw new Problem("not-found");
        const bytes = await read(found.blobKey, found.screenshot);
        reply.hijack();
        answerOnce(
          request.raw,
          reply.raw,
          served(indexFile("screenshot.png", bytes), listed.isPrivate ? SECRET : FOREVER, ""),
        );
      }),
  });

  async function read(blobKey: string, { at, packedSize, size, isDeflated }: Screenshot): Promise<Buffer> {
    const blob = await blobs.read(blobKey, { start: at, end: at + packedSize - 1 });
    if (!blob) throw new Problem("archives-unavailable", { detail: "This archive is missing from the store." });
    const packed = await buffer(blob.stream);
    return isDeflated ? inflate(packed, { maxOutputLength: size }) : packed;
  }
}
