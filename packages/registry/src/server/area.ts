import { join } from "node:path";
import { REGISTRY_LIMITS } from "@backplane/contract/registry";
import type { OpenBus } from "@backplane/kit/bus";
import type { Caller, WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import { type AnswerFirst, type App, openToAnyOrigin } from "@backplane/kit/http";
import type { Metrics } from "@backplane/kit/metrics";
import { createRateLimiter, type RateLimit } from "@backplane/kit/rate-limiter";
import type { Settings } from "@backplane/kit/settings";
import { VERSION } from "@backplane/kit/version";
import type { FastifyRequest } from "fastify";
import { openBlobStore } from "./blobs/index.ts";
import { openCatalogue } from "./catalogue/catalogue.ts";
import { createDownloadCounts } from "./catalogue/download-counts.ts";
import { openKeptPieces } from "./catalogue/kept-pieces.ts";
import { isTooLarge, namedFiles, packagesBytes, type Snapshot } from "./catalogue/snapshot.ts";
import { countStart, INDEX_FORMAT } from "./keys/index-state.ts";
import { serveKeys } from "./keys/routes.ts";
import { ensureKey } from "./keys/signing-keys.ts";
import { createLibraryPackages, type LibraryPackages } from "./library-packages.ts";
import { createOwnerNames, type Owners } from "./owners.ts";
import { createPanelPackages, type PanelPackages } from "./panel-packages.ts";
import { serveAddresses } from "./private/address-routes.ts";
import { createFindPrivate, mustHaveOwner, servePrivateRepositories } from "./private/repository-routes.ts";
import { sweepHalfUploads, sweepOrphans } from "./publishing/kept-uploads.ts";
import { servePublishing } from "./publishing/routes.ts";
import { type RegistryTotals, type RegistryUsage, readTotals, readUsage } from "./publishing/usage.ts";
import { createSeenPackages } from "./seen-packages.ts";
import { serveArchives } from "./serving/archive-routes.ts";
import { createFindPackage } from "./serving/find-package.ts";
import { INDEX_ROUTES, serveIndexes } from "./serving/index-routes.ts";
import { createIndexStore } from "./serving/index-store.ts";
import { servePackages } from "./serving/package-routes.ts";
import { serveRegistry } from "./serving/registry-routes.ts";
import { serveScreenshots } from "./serving/screenshot-routes.ts";
import { createQuickAnswers, createServedFiles } from "./serving/served-files.ts";
import { createStaticFiles } from "./serving/static-files.ts";
import type { RegistryTables } from "./tables.ts";

/** What anybody may read. The index files send these headers themselves (answer-file.ts), but browsers may send a preflight. */
const PUBLIC_READS = [
  ...INDEX_ROUTES,
  "/registry",
  "/registry/search",
  "/registry/keys",
  "/registry/packages/:identifier",
  "/registry/packages/:identifier/details",
  "/registry/packages/:identifier/icon.png",
  "/registry/packages/:identifier/screenshots/:file",
  "/registry/archives/:identifier/:file",
  "/registry/manifests/:file",
  "/schemas/package.v1.json",
  "/schemas/package.v2.json",
];

/** In the folder of this installation: what the next start need not write again. It may be deleted. */
const KEPT_PIECES = "registry-index.kept";
/** Less is written again in a few milliseconds. */
const MIN_KEPT_BYTES = 1_000_000;

const SWEEP_EVERY_MS = 10 * 60_000;

export type RegistryAreaOptions = {
  database: Database<RegistryTables>;
  bus: OpenBus;
  settings: Pick<
    Settings,
    | ("baseUrl" | "home" | "archives" | "indexesFolder" | "trustProxy" | "quotas")
    | ("registryBrands" | "registryName" | "registryMaintainer")
  >;
  now: Clock;
  fetch: typeof globalThis.fetch;
  metrics: Metrics;
  whoIsCalling: WhoIsCalling;
  owners: Owners;
  requireInstanceOwner(request: FastifyRequest): Promise<Caller>;
  onFault: (error: unknown) => void;
  /** Less of an index than this is not kept for the next start. */
  minKeptBytes?: number;
};

/** Publishing, serving and finding packages, ready to be mounted. */
export type RegistryArea = {
  answerFirst: AnswerFirst;
  addRoutes(app: App): Promise<void>;
  usageOf(ownerId: string): Promise<RegistryUsage>;
  /** Of all owners together, with the largest ones. */
  totals(maxOwners: number): Promise<RegistryTotals>;
  /** Packages with a panel for workspaces. */
  readonly panels: PanelPackages;
  /** Packages with symbol libraries for schematics. */
  readonly libraries: LibraryPackages;
  /** Resolves when the archive store answers. */
  ping(): Promise<void>;
  /** What the timer does regularly. */
  sweep(): Promise<void>;
  close(): Promise<void>;
};

export async function openRegistryArea(options: RegistryAreaOptions): Promise<RegistryArea> {
  const { database, bus, settings, now, fetch, metrics, whoIsCalling, owners, requireInstanceOwner, onFault } = options;
  const { baseUrl, home, registryBrands: brands, registryName: name, registryMaintainer: maintainer } = settings;
  const kept = openKeptPieces({
    ...{ file: join(home, KEPT_PIECES), writtenBy: `${VERSION} ${INDEX_FORMAT}` },
    minBytes: options.minKeptBytes ?? MIN_KEPT_BYTES,
  });
  const keepPieces = async (snapshot: Snapshot) => (await kept).save(namedFiles(snapshot));
  const blobs = await openBlobStore(settings.archives, fetch);
  await sweepHalfUploads(home);
  await ensureKey(database, now());
  await countStart(database, { baseUrl, nowMs: now() });

  const indexes = createIndexStore({ blobs, now });
  const statics = createStaticFiles({ folder: settings.indexesFolder, onFault });
  const files = createServedFiles({
    brands,
    async onLasting(snapshot) {
      await statics.write(namedFiles(snapshot));
      await keepPieces(snapshot);
    },
    onFault,
  });
  const catalogue = await openCatalogue({
    ...{ database, bus, brands, baseUrl, name, maintainer, now, kept, onFault },
    keep: async (named) => void (await Promise.all(named.map(indexes.keep))),
    onServed(snapshot, before) {
      files.serve(snapshot, before);
      reportTooLarge(snapshot, before);
    },
  });
  /** Reported once, when the list becomes too large for KiCad. */
  function reportTooLarge(snapshot: Snapshot, before: Snapshot | undefined): void {
    if (!isTooLarge(snapshot) || (before && isTooLarge(before))) return;
    const limit = `${REGISTRY_LIMITS.maxPackagesBytes} bytes`;
    onFault(
      new Error(`KiCad refuses this repository: its packages.json is larger than ${limit}. List fewer versions.`),
    );
  }
  const newLimiter = (limit: RateLimit) => createRateLimiter({ ...limit, redis: bus.redis, now, onFault });
  const downloads = createDownloadCounts({
    ...{ database, newLimiter, onFault },
    onRead: (downloadsOf) => catalogue.search.rankBy(downloadsOf),
  });
  await downloads.readSums();
  const names = createOwnerNames(owners, now);
  const seen = createSeenPackages({ catalogue, owners });
  const { changed, fresh } = catalogue;
  metrics.gauge("backplane_registry_packages", "Packages that are listed", () => catalogue.packages.size);
  metrics.gauge("backplane_registry_packages_bytes", "Size of the largest packages.json; KiCad reads 10 MiB", () =>
    packagesBytes(catalogue.snapshot()),
  );

  async function sweep(): Promise<void> {
    // An instance that is behind would delete files that others still serve.
    await catalogue.refresh();
    await indexes.sweep(namedFiles(catalogue.snapshot()));
    await statics.write(namedFiles(catalogue.snapshot()));
    await sweepOrphans({ database, blobs, home, nowMs: now(), diskNowMs: Date.now() });
  }
  let sweeping: Promise<void> = Promise.resolve();
  const sweeper = setInterval(() => {
    sweeping = sweeping.then(sweep).catch(onFault);
  }, SWEEP_EVERY_MS).unref();

  return {
    answerFirst: createQuickAnswers({ at: files.at, fresh, observe: metrics.observeRequest }),
    async addRoutes(app) {
      openToAnyOrigin(
        app,
        PUBLIC_READS.map((url) => ({ url, methods: ["GET", "HEAD"] })),
      );
      serveIndexes(app, { catalogue, files, indexes });
      const findPackage = createFindPackage({ catalogue, whoIsCalling, owners });
      const findOwner = (token: string) => mustHaveOwner({ database, owners }, token);
      const findPrivate = createFindPrivate({ database, catalogue, owners });
      serveArchives(app, { catalogue, blobs, downloads, findPackage, findPrivate });
      serveScreenshots(app, { findPackage, blobs });
      servePackages(app, { database, findPackage, brands, names, owners, whoIsCalling });
      servePrivateRepositories(app, {
        ...{ database, catalogue, names, name, brands, baseUrl, whoIsCalling, owners, downloads },
      });
      serveAddresses(app, { database, whoIsCalling, owners, brands, baseUrl, now });
      serveRegistry(app, { database, catalogue, name, brands, baseUrl, names, downloads, findOwner });
      serveKeys(app, { database, requireInstanceOwner, now, changed });
      servePublishing(app, {
        ...{ database, blobs, whoIsCalling, owners, brands, baseUrl, home, now, onFault, changed, newLimiter },
        quota: settings.quotas,
      });
    },
    usageOf: (ownerId) => readUsage(database.durable, ownerId),
    totals: (maxOwners) => readTotals(database.shortLived, maxOwners),
    panels: createPanelPackages({ catalogue, blobs, seen, names, brands }),
    libraries: createLibraryPackages({ blobs, seen }),
    ping: () => blobs.ping(),
    sweep,
    async close() {
      clearInterval(sweeper);
      await sweeping;
      await catalogue.close();
      await downloads.close();
      files.close();
      await statics.close();
      await keepPieces(catalogue.snapshot()).catch(onFault);
    },
  };
}
