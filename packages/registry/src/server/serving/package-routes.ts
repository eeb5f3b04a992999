import { PackageDetails, SCHEMA_V2_MEDIA_TYPE, ToolQuery } from "@backplane/contract/registry";
import type { WhoIsCalling } from "@backplane/kit/callers";
import type { Database } from "@backplane/kit/database";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { Type } from "typebox";
import { addGzip, type IndexFile, indexFile } from "../catalogue/index-file.ts";
import { isSameInBoth, isWritten, type ListedPackage, textFor } from "../catalogue/listed-package.ts";
import type { OwnerNames, Owners } from "../owners.ts";
import type { RegistryTables } from "../tables.ts";
import {
  answerOnce,
  limitAnswers,
  NEWEST,
  PUBLIC_ROUTE,
  SECRET,
  served,
  servedByVersion,
  tags,
} from "./answer-file.ts";
import { type FindPackage, PACKAGE_PROBLEMS } from "./find-package.ts";
import { askedTool } from "./fit.ts";
import { packageDetails } from "./package-answers.ts";

export type PackageRoutes = {
  database: Database<RegistryTables>;
  findPackage: FindPackage;
  brands: readonly string[];
  names: OwnerNames;
  owners: Owners;
  whoIsCalling: WhoIsCalling;
};

const params = Type.Object({ identifier: Type.String({ maxLength: 100 }) });
const BrandQuery = Type.Object(
  { brand: Type.Optional(Type.String({ maxLength: 31 })) },
  { additionalProperties: false },
);

/** One package: as listed, as on its page, and its icon. */
export function servePackages(app: App, options: PackageRoutes): void {
  const { database, findPackage, brands, names, owners, whoIsCalling } = options;
  const limited = limitAnswers();
  const cacheControlOf = ({ isPrivate }: ListedPackage): string => (isPrivate ? SECRET : NEWEST);

  app.route({
    ...PUBLIC_ROUTE,
    method: ["GET", "HEAD"],
    url: "/registry/packages/:identifier",
    schema: {
      ...{ tags, summary: "One package, as packages.json has it", params, querystring: BrandQuery },
      problems: [...PACKAGE_PROBLEMS, "not-found", "too-many-requests"],
      produces: ["application/json", SCHEMA_V2_MEDIA_TYPE],
    },
    handler: async (request, reply) => {
      const { brand = brands[0] ?? "" } = request.query;
      const found = await findPackage(request, request.params.identifier);
      if (!brands.includes(brand)) throw new Problem("not-found", { detail: `This registry has no brand "${brand}".` });
      if (!isWritten(found)) {
        throw new Problem("not-found", { detail: "All versions of this package were unpublished." });
      }
      const second = textFor(found, brand, 2) ?? "";
      // A package that version 1 cannot express is answered as it is: there is nothing else to say about it.
      const first = isSameInBoth(found, brand) ? second : (textFor(found, brand, 1) ?? second);
      await limited(async () => {
        if (reply.raw.destroyed) return;
        const file = await packageFile(second);
        const files = { 1: first === second ? file : await packageFile(first), 2: file };
        reply.hijack();
        answerOnce(request.raw, reply.raw, servedByVersion(files, cacheControlOf(found), ""));
      });
    },
  });

  app.route({
    ...PUBLIC_ROUTE,
    method: ["GET", "HEAD"],
    url: "/registry/packages/:identifier/icon.png",
    schema: {
      ...{ tags, summary: "The icon of a package", params },
      problems: [...PACKAGE_PROBLEMS, "not-found"],
      produces: ["image/png"],
    },
    handler: async (request, reply) => {
      const found = await findPackage(request, request.params.identifier);
      if (!found.icon) throw new Problem("not-found", { detail: "This package has no icon." });
      const file = indexFile("icon.png", Buffer.from(found.icon.bytes));
      reply.hijack();
      answerOnce(request.raw, reply.raw, served(file, cacheControlOf(found), ""));
    },
  });

  app.get(
    "/registry/packages/:identifier/details",
    {
      ...PUBLIC_ROUTE,
      schema: {
        ...{ tags, summary: "One package, as its page shows it; with a tool, which version fits and why" },
        problems: PACKAGE_PROBLEMS,
        ...{ params, querystring: ToolQuery, response: { 200: PackageDetails } },
      },
    },
    async (request, reply) => {
      const found = await findPackage(request, request.params.identifier);
      const caller = await whoIsCalling(request);
      const mayPublish =
        caller?.scopes.includes("publish") === true && (await owners.mayAct(caller.userId, found.ownerId));
      const people = new Set([
        ...found.releases.map(({ publishedBy }) => publishedBy),
        ...found.unpublished.map(({ by }) => by),
      ]);
      const known = new Map(await Promise.all([...people].map(async (id) => [id, await names.nameOf(id)] as const)));
      const downloads = await readDownloads(database, found.key);
      reply.header("cache-control", "no-store");
      return packageDetails(found, {
        owner: await names.nameOf(found.ownerId),
        asked: askedTool(request.query),
        mayPublish,
        downloadsOf: ({ number }) => downloads.get(number.join(".")) ?? 0,
        nameOf: (id) => known.get(id) ?? "",
      });
    },
  );
}

async function packageFile(text: string): Promise<IndexFile> {
  const file = indexFile("package.json", Buffer.from(`${text}\n`));
  await addGzip(file);
  return file;
}

async function readDownloads({ durable }: Database<RegistryTables>, key: string): Promise<Map<string, number>> {
  const rows = await durable
    .selectFrom("registry_versions")
    .select(["epoch", "major", "minor", "patch", "downloads"])
    .where("identifier_key", "=", key)
    .execute();
  return new Map(
    rows.map(({ epoch, major, minor, patch, downloads }) => [[epoch, major, minor, patch].join("."), downloads]),
  );
}
