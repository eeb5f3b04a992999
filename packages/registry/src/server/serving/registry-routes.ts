import {
  ARCHIVE_LIMITS,
  REGISTRY_LIMITS,
  RegistryFacts,
  type SchemaVersion,
  SearchAnswer,
  SearchQuery,
} from "@backplane/contract/registry";
import type { Database } from "@backplane/kit/database";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { publishedSchema } from "../../metadata/schemas.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { DownloadCounts } from "../catalogue/download-counts.ts";
import { addGzip, indexFile } from "../catalogue/index-file.ts";
import { packagesBytes } from "../catalogue/snapshot.ts";
import type { OwnerNames } from "../owners.ts";
import { SecretToken } from "../private/addresses.ts";
import type { RegistryTables } from "../tables.ts";
import {
  answerFile,
  answerOnce,
  FOREVER,
  limitAnswers,
  NEWEST,
  PUBLIC_ROUTE,
  SECRET,
  type Served,
  served,
  tags,
} from "./answer-file.ts";
import { askedTool } from "./fit.ts";
import { foundPackage } from "./package-answers.ts";

export type RegistryRoutes = {
  database: Database<RegistryTables>;
  catalogue: Catalogue;
  name: string;
  brands: readonly string[];
  baseUrl: string;
  names: OwnerNames;
  downloads: DownloadCounts;
  /** Whose a secret address is. 404 */
  findOwner(token: string): Promise<string>;
};

/** The registry as a whole: facts, search, manifests, the schema. */
export function serveRegistry(app: App, options: RegistryRoutes): void {
  serveFacts(app, options);
  serveSearch(app, options);
  serveManifests(app, options);
  serveSchema(app, options, 1);
  serveSchema(app, options, 2);
}

function serveFacts(app: App, { catalogue, name, brands, baseUrl }: RegistryRoutes): void {
  app.get(
    "/registry",
    {
      ...PUBLIC_ROUTE,
      schema: { tags, summary: "What this registry is", response: { 200: RegistryFacts } },
    },
    async (_request, reply) => {
      const snapshot = catalogue.snapshot();
      const listed = [...catalogue.packages.values()];
      reply.header("cache-control", "no-cache");
      return {
        name,
        brands: [...brands],
        repository_url: `${baseUrl}/registry/repository.json`,
        packages: listed.length,
        versions: listed.reduce((sum, { releases }) => sum + releases.length, 0),
        types: [...new Set(listed.map(({ package: { type } }) => type))].sort(),
        update_timestamp: snapshot.updateTimestamp,
        packages_bytes: packagesBytes(snapshot),
        max_packages_bytes: REGISTRY_LIMITS.maxPackagesBytes,
        max_archive_bytes: ARCHIVE_LIMITS.maxBytes,
      };
    },
  );
}

function serveSearch(app: App, { catalogue, names, downloads }: RegistryRoutes): void {
  app.get(
    "/registry/search",
    {
      ...PUBLIC_ROUTE,
      schema: {
        ...{ tags, summary: "Find packages; with a tool, whether each fits it" },
        ...{ querystring: SearchQuery, response: { 200: SearchAnswer } },
      },
    },
    async (request, reply) => {
      reply.header("cache-control", "no-cache");
      const { q = "", type, owner, limit = REGISTRY_LIMITS.defaultResults, offset = 0 } = request.query;
      const ownerIds = () => new Set([...catalogue.packages.values()].map(({ ownerId }) => ownerId));
      const ownerId = owner === undefined ? undefined : await names.idOf(owner, ownerIds());
      if (owner !== undefined && ownerId === undefined) return { total: 0, packages: [] };
      const { total, keys } = catalogue.search.search({ q, type, ownerId, offset, limit });
      const asked = askedTool(request.query);
      const found = keys.flatMap((key) => catalogue.packages.get(key) ?? []);
      return {
        total,
        packages: await Promise.all(
          found.map(async (one) =>
            foundPackage(one, { owner: await names.nameOf(one.ownerId), downloads: downloads.of(one.key), asked }),
          ),
        ),
      };
    },
  );
}

function serveManifests(app: App, { database, findOwner }: RegistryRoutes): void {
  const limited = limitAnswers();
  const file = Type.String({ pattern: "^[a-f0-9]{64}[.]json$", examples: [`${"9f86d081".repeat(8)}.json`] });

  /** Of a public package, or of a private one of this owner. */
  async function read(name: string, ownerId?: string): Promise<Served | undefined> {
    const row = await database.durable
      .selectFrom("registry_versions")
      .innerJoin("registry_packages", "registry_packages.identifier_key", "registry_versions.identifier_key")
      .select("manifest")
      .where("manifest_sha256", "=", name.slice(0, SHA256_CHARACTERS))
      .where((row) => row.and(ownerId === undefined ? { is_private: 0 } : { is_private: 1, owner_id: ownerId }))
      .limit(1)
      .executeTakeFirst();
    if (!row) return undefined;
    const found = indexFile("manifest.json", Buffer.from(row.manifest));
    await addGzip(found);
    return served(found, ownerId === undefined ? FOREVER : SECRET, "");
  }

  const answer = ({ raw }: FastifyRequest, reply: FastifyReply, find: () => Promise<Served | undefined>) =>
    limited(async () => {
      if (reply.raw.destroyed) return;
      const it = await find();
      if (!it) throw new Problem("not-found");
      reply.hijack();
      answerOnce(raw, reply.raw, it);
    });

  app.route({
    ...PUBLIC_ROUTE,
    method: ["GET", "HEAD"],
    url: "/registry/manifests/:file",
    schema: {
      ...{ tags, summary: "The files of one version: {sha256}.json, as manifests.json names it" },
      ...{
        problems: ["not-found", "too-many-requests"],
        params: Type.Object({ file }),
        produces: ["application/json"],
      },
    },
    handler: (request, reply) => answer(request, reply, () => read(request.params.file)),
  });

  app.route({
    method: ["GET", "HEAD"],
    url: "/registry/private/:token/manifests/:file",
    schema: {
      ...{ tags, summary: "The files of one version of a private package, at a secret address" },
      ...{
        problems: ["not-found", "too-many-requests"],
        params: Type.Object({ token: SecretToken, file }),
        produces: ["application/json"],
      },
    },
    handler: (request, reply) =>
      answer(request, reply, async () => read(request.params.file, await findOwner(request.params.token))),
  });
}

function serveSchema(app: App, { brands, baseUrl }: RegistryRoutes, version: SchemaVersion): void {
  const name = `package.v${version}.json`;
  const schemas = new Map<string, Promise<Served>>(brands.map((brand) => [brand, schemaOf(brand)]));
  async function schemaOf(brand: string): Promise<Served> {
    const id = `${baseUrl}/schemas/${name}?brand=${brand}`;
    const text = `${JSON.stringify(publishedSchema(brand, id, { version }), undefined, 2)}\n`;
    const file = indexFile(name, Buffer.from(text));
    await addGzip(file);
    return served(file, NEWEST, "");
  }

  app.route({
    ...PUBLIC_ROUTE,
    method: ["GET", "HEAD"],
    url: `/schemas/${name}`,
    schema: {
      ...{ tags, summary: `The JSON Schema of the metadata, version ${version}`, produces: ["application/json"] },
      problems: ["not-found", "too-many-requests"],
      querystring: Type.Object(
        { brand: Type.Optional(Type.String({ maxLength: 31 })) },
        { additionalProperties: false },
      ),
    },
    handler: async (request, reply) => {
      const { brand = brands[0] ?? "" } = request.query;
      const it = await schemas.get(brand);
      if (!it) throw new Problem("not-found", { detail: `This registry has no brand "${brand}".` });
      reply.hijack();
      answerFile(request.raw, reply.raw, it);
    },
  });
}

const SHA256_CHARACTERS = 64;
