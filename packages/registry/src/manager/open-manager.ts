import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isBrand } from "../metadata/brands.ts";
import { readToolVersion, versionKey } from "../versions/version-numbers.ts";
import { explainPackage, packageInfo } from "./commands/explain.ts";
import { findUpdate, installPackages } from "./commands/install.ts";
import { installFromBundle } from "./commands/install-bundle.ts";
import { installFromLock, writeLock } from "./commands/lock-file.ts";
import { mirrorRepository } from "./commands/mirror.ts";
import { readRepositoryAt } from "./commands/read-repository.ts";
import { asRefreshed, repositoryCalls } from "./commands/repositories.ts";
import { searchPackages } from "./commands/search.ts";
import { uninstallPackages, updatePackages } from "./commands/update.ts";
import { repairPackages, verifyPackages } from "./commands/verify.ts";
import { writeBundle } from "./commands/write-bundle.ts";
import { type Context, installedNow } from "./context.ts";
import { explainSystemError, ManagerFault } from "./faults.ts";
import { openInstallation } from "./installing/installation.ts";
import { exclusively } from "./installing/lock.ts";
import { isUnidentified } from "./installing/state-file.ts";
import { UNIDENTIFIED } from "./installing/verify.ts";
import type { ListedInstalled, Manager, ManagerOptions } from "./manager-types.ts";
import { asManagerFault } from "./outcomes.ts";
import { openArchiveCache } from "./repositories/archive-cache.ts";
import { findRepository, openConfigured, repositoryId } from "./repositories/configured.ts";
import { openListCache } from "./repositories/list-cache.ts";
import { openLists } from "./repositories/lists.ts";
import { TRANSFER_LIMITS, type Transport } from "./repositories/transport.ts";
import { openTrustStore } from "./repositories/trust-store.ts";

/** A package manager for one folder. Several processes may use it: changes wait for each other. */
export async function openManager(options: ManagerOptions): Promise<Manager> {
  const { brand, tool } = options;
  if (!isBrand(brand))
    throw new ManagerFault("bad-brand", `"${brand}" is not a brand. Give one such as tool or kicad.`);
  if (!readToolVersion(tool.version)) {
    throw new ManagerFault("bad-version", `"${tool.version}" is not a version of the tool. Write it as 9.0 or 9.0.2.`);
  }
  const root = resolve(options.root);
  const stateFolder = join(root, ".backplane");
  await mkdir(stateFolder, { recursive: true }).catch((error: unknown) => {
    throw asManagerFault(explainSystemError(error, `${root} cannot be opened`));
  });
  const context = contextOf(options, root, stateFolder);
  return managerOf(context, (act) => exclusively(root, "repositories", context.transport.limits.waitForOthersMs, act));
}

function contextOf(options: ManagerOptions, root: string, stateFolder: string): Context {
  const { brand, tool, now, token, signal, stateFile, onProgress = () => {} } = options;
  const limits = { ...TRANSFER_LIMITS, ...options.limits };
  const transport: Transport = {
    fetch: options.fetch,
    limits,
    offline: options.offline === true,
    ...(token ? { token } : {}),
    ...(signal ? { signal } : {}),
  };
  const cacheFolder = join(stateFolder, "cache");
  const configured = openConfigured(stateFolder);
  const sources = {
    transport,
    cache: openListCache(cacheFolder),
    trust: openTrustStore(stateFolder, (act) => exclusively(root, "trust", limits.waitForOthersMs, act)),
    brand,
    strict: options.strict === true,
    now,
  };
  return {
    ...{ root, brand, tool, now, signal, transport, sources, configured, onProgress },
    lists: openLists(sources, configured, onProgress),
    archives: openArchiveCache(cacheFolder, transport, onProgress),
    useInstallation: async (act) => {
      const place = stateFile === undefined ? {} : { stateFile };
      const installation = await openInstallation(root, { brand, now, lockWaitMs: limits.waitForOthersMs, ...place });
      try {
        return await act(installation);
      } finally {
        await installation.close();
      }
    },
  };
}

function managerOf(context: Context, exclusively: Parameters<typeof repositoryCalls>[1]): Manager {
  const { configured, sources } = context;
  const underWay = new Set<Promise<unknown>>();
  /** Keeps track of running calls, and turns system errors into faults. */
  const call = async <Result>(act: () => Promise<Result>): Promise<Result> => {
    const running = act().catch((error: unknown) => {
      throw asManagerFault(error);
    });
    underWay.add(running);
    try {
      return await running;
    } finally {
      underWay.delete(running);
    }
  };
  const repositories = repositoryCalls(context, exclusively);
  const pin = (identifier: string, pinned: boolean) =>
    call(() => context.useInstallation((installation) => installation.setPinned(identifier, pinned)));
  const several = (names: string | readonly string[]) => (typeof names === "string" ? [names] : names);

  return {
    root: context.root,
    repositories: {
      add: (...given) => call(() => repositories.add(...given)),
      list: () => call(() => repositories.list()),
      remove: (wanted) => call(() => repositories.remove(wanted)),
    },
    refresh: () => call(async () => (await context.lists.refresh()).map(asRefreshed)),
    search: (query, options = {}) => call(() => searchPackages(context, query, options)),
    info: (spec) => call(() => packageInfo(context, spec)),
    explain: (spec) => call(() => explainPackage(context, spec)),
    install: (specs, options = {}) => call(() => installPackages(context, several(specs), options)),
    update: (identifiers, options = {}) => call(() => updatePackages(context, identifiers, options)),
    uninstall: (identifiers, options = {}) => call(() => uninstallPackages(context, several(identifiers), options)),
    list: () => call(() => listInstalled(context)),
    verify: (identifiers) => call(() => verifyPackages(context, identifiers)),
    repair: (identifiers, options = {}) => call(() => repairPackages(context, identifiers, options)),
    pin: (identifier) => pin(identifier, true),
    unpin: (identifier) => pin(identifier, false),
    lock: (file) => call(() => writeLock(context, file)),
    installFromLock: (file, options = {}) => call(() => installFromLock(context, file, options)),
    mirror: (url, folder, options) => call(() => mirrorRepository(context, url, folder, options)),
    read: (url) =>
      call(async () => {
        const content = await readRepositoryAt(context, url);
        return { ...content, fetch: (...wanted) => call(() => content.fetch(...wanted)) };
      }),
    bundle: (specs, file) => call(() => writeBundle(context, specs, file)),
    installFromBundle: (file, options = {}) => call(() => installFromBundle(context, file, options)),
    trustedKeys: () =>
      call(async () => {
        const trusted = await Promise.all(
          (await configured.all()).map(async (repository) => ({
            repository,
            trust: await sources.trust.of(repository.id),
          })),
        );
        return trusted.flatMap(({ repository, trust }) =>
          trust ? [{ repository, keys: trust.keys, counter: trust.counter }] : [],
        );
      }),
    forgetKeys: (wanted) =>
      call(async () => {
        // The keys of a removed repository are still remembered; it can be named by its address.
        const isAddress = /^(https?|file):/.test(wanted);
        const known = (await configured.all()).find(({ url }) => url === wanted);
        const bare = { id: repositoryId(wanted), name: wanted, url: wanted };
        const found = isAddress ? (known ?? bare) : findRepository(await configured.all(), wanted);
        await sources.trust.forget(found.id);
        context.lists.forget();
        return found;
      }),
    close: async () => {
      await Promise.allSettled(underWay);
    },
  };
}

async function listInstalled(context: Context): Promise<ListedInstalled[]> {
  const lists = await context.lists.atHand();
  const installed = await installedNow(context);
  return [...installed.values()].map((has): ListedInstalled => {
    const { entry, package: about, current } = has;
    const listed = lists.find(({ id }) => id === entry.repository_id)?.listed?.get(about.identifier);
    const update = listed && findUpdate(context, listed, has);
    return {
      identifier: about.identifier,
      name: about.name,
      ...current,
      pinned: entry.pinned,
      repository: { id: entry.repository_id, name: entry.repository_name },
      installedAtS: entry.install_timestamp,
      ...(update ? { update: versionKey(update) } : {}),
      ...(isUnidentified(entry) ? { note: UNIDENTIFIED } : {}),
      entry,
    };
  });
}
