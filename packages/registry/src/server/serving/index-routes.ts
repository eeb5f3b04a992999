import { SCHEMA_V2_MEDIA_TYPE } from "@backplane/contract/registry";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { etagOf, INDEX_NAMES, type IndexName } from "../catalogue/index-file.ts";
import { answerFile, FOREVER, PUBLIC_HEADERS, PUBLIC_ROUTE, tags, typeOf } from "./answer-file.ts";
import { namesFile, readEncodings } from "./http-headers.ts";
import { type IndexStore, unpacked } from "./index-store.ts";
import type { ServedFiles } from "./served-files.ts";

export type IndexRoutes = { catalogue: Catalogue; files: ServedFiles; indexes: IndexStore };

const SUMMARIES = {
  "repository.json": "The repository: where its files are, and their signed hashes",
  "packages.json": "All packages",
  "resources.zip": "The icons of all packages",
  "manifests.json": "Where each version's list of files is",
} as const;

export const INDEX_ROUTES: readonly string[] = [
  ...Object.keys(SUMMARIES).flatMap((name) => [`/registry/${name}`, `/registry/:brand/${name}`]),
  ...INDEX_NAMES.map((name) => `/registry/indexes/:sha256/${name}`),
];

/** `Accept` decides on the version of the schema. */
const BY_VERSION: readonly string[] = ["repository.json", "packages.json"];
const typesOf = (name: string): string[] => [
  typeOf(name),
  ...(BY_VERSION.includes(name) ? [SCHEMA_V2_MEDIA_TYPE] : []),
];

const READING = { method: ["GET" as const, "HEAD" as const], ...PUBLIC_ROUTE };
const Sha256 = Type.String({ pattern: "^[a-f0-9]{64}$" });

/** The files that package managers read. Most requests are answered earlier (served-files.ts). */
export function serveIndexes(app: App, { catalogue, files, indexes }: IndexRoutes): void {
  /** For addresses with a query, and of unknown brands. */
  const answerNewest = (name: string) => async (request: FastifyRequest, reply: FastifyReply) => {
    if (name === "repository.json") await catalogue.fresh();
    const it = files.at(request.url.split("?", 1)[0] ?? "");
    if (!it) throw new Problem("not-found");
    reply.hijack();
    answerFile(request.raw, reply.raw, it);
  };

  for (const [name, summary] of Object.entries(SUMMARIES)) {
    app.route({
      ...READING,
      url: `/registry/${name}`,
      schema: { tags, summary, problems: ["not-found"], produces: typesOf(name) },
      handler: answerNewest(name),
    });
    app.route({
      ...READING,
      url: `/registry/:brand/${name}`,
      schema: { tags, summary: `${summary}, in a brand's spelling`, problems: ["not-found"], produces: typesOf(name) },
      handler: answerNewest(name),
    });
  }

  for (const name of INDEX_NAMES) {
    app.route({
      ...READING,
      url: `/registry/indexes/:sha256/${name}`,
      schema: {
        tags,
        summary: `${SUMMARIES[name]}, exactly as a repository.json named it`,
        problems: ["index-ended", "archives-unavailable"],
        params: Type.Object({ sha256: Sha256 }),
        produces: [typeOf(name)],
      },
      handler: async (request, reply) => {
        const { sha256 } = request.params;
        // Another instance may have just published it.
        if (!files.at(`/registry/indexes/${sha256}/${name}`)) await catalogue.fresh();
        const it = files.at(`/registry/indexes/${sha256}/${name}`);
        if (!it) return answerStored(request, reply, sha256, name);
        reply.hijack();
        return void answerFile(request.raw, reply.raw, it);
      },
    });
  }

  async function answerStored(request: FastifyRequest, reply: FastifyReply, sha256: string, name: IndexName) {
    const stored = await indexes.read(sha256, name);
    if (!stored)
      throw new Problem("index-ended", { detail: "Read repository.json again: it refers to the newest index." });
    const takesIt = readEncodings(request.headers["accept-encoding"]?.toString() ?? "").includes(stored.encoding);
    const encoding = takesIt ? stored.encoding : "identity";
    reply.headers({
      ...publicHeaders,
      "content-type": typeOf(name),
      etag: etagOf(sha256, encoding),
      "cache-control": FOREVER,
      vary: "accept-encoding",
    });
    const known = request.headers["if-none-match"];
    const isKnown = known !== undefined && namesFile(known, sha256);
    if (isKnown || request.method === "HEAD") {
      stored.stream.destroy();
      return reply.code(isKnown ? 304 : 200).send();
    }
    if (encoding === "gzip") reply.headers({ "content-encoding": "gzip", "content-length": stored.size });
    return reply.send(takesIt ? stored.stream : unpacked(stored));
  }
}

const publicHeaders = Object.fromEntries(
  Array.from({ length: PUBLIC_HEADERS.length / 2 }, (_, n) => [PUBLIC_HEADERS[2 * n], PUBLIC_HEADERS[2 * n + 1]]),
) as Record<string, string>;
