import { setImmediate as letOthersRun } from "node:timers/promises";
import { PrivatePackages, SCHEMA_V2_MEDIA_TYPE } from "@backplane/contract/registry";
import { requireCaller, type WhoIsCalling } from "@backplane/kit/callers";
import { limitConcurrency } from "@backplane/kit/concurrency";
import type { Database } from "@backplane/kit/database";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { byCodeUnit } from "../../values.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { DownloadCounts } from "../catalogue/download-counts.ts";
import { type ListedPackage, withArchivesAt } from "../catalogue/listed-package.ts";
import { namedFiles, type Snapshot } from "../catalogue/snapshot.ts";
import type { OwnerNames, Owners } from "../owners.ts";
import { answerOnce, SECRET, served, servedByVersion, tags, typeOf } from "../serving/answer-file.ts";
import { foundPackage } from "../serving/package-answers.ts";
import type { RegistryTables } from "../tables.ts";
import { ownerOfToken, SecretToken } from "./addresses.ts";
import { createKeptSnapshots } from "./kept-snapshots.ts";

export type PrivateRoutes = {
  database: Database<RegistryTables>;
  catalogue: Catalogue;
  names: OwnerNames;
  name: string;
  brands: readonly string[];
  baseUrl: string;
  whoIsCalling: WhoIsCalling;
  owners: Owners;
  downloads: DownloadCounts;
};

/** Sorted by identifier. */
const packagesOf = ({ privatePackages }: Catalogue, ownerIds: ReadonlySet<string>): ListedPackage[] =>
  [...privatePackages.values()]
    .filter(({ ownerId }) => ownerIds.has(ownerId))
    .sort((a, b) => byCodeUnit(a.package.identifier, b.package.identifier));

const PROBLEMS = ["not-found", "too-many-requests"] as const;
/** After this many packages, other requests get their turn. */
const PACKAGES_AT_ONCE = 20;
/** Requests that wait until the files of an address are made. */
const MAX_WAITING = 200;
const tooBusy = (): Problem =>
  new Problem("too-many-requests", {
    detail: "Many private repositories are being read. Try again in a moment.",
    headers: { "retry-after": "1" },
  });

/** Whoever has the address may read. A wrong one is like any address at which there is nothing. */
export async function mustHaveOwner(
  { database, owners }: Pick<PrivateRoutes, "database" | "owners">,
  token: string,
): Promise<string> {
  const ownerId = await ownerOfToken(database, owners, token);
  if (ownerId === undefined) throw new Problem("not-found");
  return ownerId;
}

/** A private package at a secret address of its owner. */
export const createFindPrivate =
  ({ catalogue, ...options }: Pick<PrivateRoutes, "database" | "catalogue" | "owners">) =>
  async (token: string, identifier: string): Promise<ListedPackage> => {
    const ownerId = await mustHaveOwner(options, token);
    const key = identifier.toLowerCase();
    if (!catalogue.privatePackages.has(key)) await catalogue.refresh();
    const found = catalogue.privatePackages.get(key);
    if (found?.ownerId !== ownerId) throw new Problem("package-unknown");
    return found;
  };

/** The repository of an owner's private packages, for design tools, which cannot sign in: its address is the secret. */
export function servePrivateRepositories(app: App, options: PrivateRoutes): void {
  const { catalogue, names, name, brands, baseUrl } = options;
  serveOwn(app, options);
  const kept = createKeptSnapshots();
  const inTurn = limitConcurrency({ atOnce: 1, maxWaiting: MAX_WAITING, whenFull: tooBusy });

  /** Newest first. They are not stored, because they contain the secret. */
  async function snapshotsOf(token: string): Promise<readonly Snapshot[]> {
    const ownerId = await mustHaveOwner(options, token);
    await catalogue.fresh();
    const isNewest = () => kept.of(token)[0]?.revision === catalogue.snapshot().revision;
    if (!isNewest()) {
      await inTurn(async () => {
        // The one before may have been for the same address.
        if (!isNewest()) kept.add(token, await make(token, ownerId));
      });
    }
    return kept.of(token);
  }

  async function make(token: string, ownerId: string): Promise<Snapshot> {
    const root = `${baseUrl}/registry/private/${token}`;
    const packages: ListedPackage[] = [];
    for (const each of packagesOf(catalogue, new Set([ownerId]))) {
      packages.push(withArchivesAt(each, root));
      if (packages.length % PACKAGES_AT_ONCE === 0) await letOthersRun();
    }
    return catalogue.seal(packages, {
      name: `${name}: private packages of ${await names.nameOf(ownerId)}`,
      addressOf: (file) => `${root}/indexes/${file.sha256}/${file.name}`,
    });
  }

  const answer = async (request: FastifyRequest, reply: FastifyReply, token: string, brand: string) => {
    const [newest] = await snapshotsOf(token);
    const files = newest?.repositories.get(brand);
    if (!files) throw new Problem("not-found");
    reply.hijack();
    answerOnce(request.raw, reply.raw, servedByVersion(files, SECRET, ""));
  };

  app.route({
    method: ["GET", "HEAD"],
    url: "/registry/private/:token/indexes/:sha256/:name",
    schema: {
      ...{ tags, summary: "A file that the repository at a secret address names" },
      problems: ["not-found", "index-ended", "too-many-requests"],
      params: Type.Object({
        ...{ token: SecretToken, sha256: Type.String() },
        name: Type.String({ examples: ["packages.json"] }),
      }),
    },
    handler: async (request, reply) => {
      const { token, sha256, name: wanted } = request.params;
      const files = (await snapshotsOf(token)).flatMap(namedFiles);
      const file = files.find((each) => each.sha256 === sha256 && each.name === wanted);
      if (!file) {
        throw new Problem("index-ended", { detail: "Read repository.json again: it refers to the newest index." });
      }
      reply.hijack();
      // At once: it may be kept for this answer only, which is then counted.
      answerOnce(request.raw, reply.raw, served(file, SECRET, ""));
    },
  });

  const summary = "The repository of an owner's private packages, at a secret address";
  const produces = [typeOf("repository.json"), SCHEMA_V2_MEDIA_TYPE];
  app.route({
    method: ["GET", "HEAD"],
    url: "/registry/private/:token/repository.json",
    schema: { tags, summary, problems: PROBLEMS, params: Type.Object({ token: SecretToken }), produces },
    handler: (request, reply) => answer(request, reply, request.params.token, brands[0] ?? ""),
  });
  app.route({
    method: ["GET", "HEAD"],
    url: "/registry/private/:token/:brand/repository.json",
    schema: {
      ...{ tags, summary: `${summary}, in a brand's spelling`, problems: PROBLEMS, produces },
      params: Type.Object({ token: SecretToken, brand: Type.String({ maxLength: 31 }) }),
    },
    handler: (request, reply) => answer(request, reply, request.params.token, request.params.brand),
  });
}

function serveOwn(app: App, { catalogue, names, whoIsCalling, owners, downloads }: PrivateRoutes): void {
  app.get(
    "/registry/private",
    {
      schema: {
        ...{ tags, summary: "The private packages that you may see", access: "read" },
        response: { 200: PrivatePackages },
      },
    },
    async (request, reply) => {
      const { userId } = await requireCaller(whoIsCalling, request, "read");
      const own = new Set((await owners.listFor(userId)).map(({ id }) => id));
      reply.header("cache-control", "no-store");
      const packages = packagesOf(catalogue, own).map(async (each) =>
        foundPackage(each, {
          owner: await names.nameOf(each.ownerId),
          downloads: downloads.of(each.key),
          asked: undefined,
        }),
      );
      return { packages: await Promise.all(packages) };
    },
  );
}
