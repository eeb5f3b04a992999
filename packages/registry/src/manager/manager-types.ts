import type { CheckNote, Package, PackageType, PackageVersion } from "@backplane/contract/registry";
import type { PublicKey, SigningKey } from "../signing/keys.ts";
import type { Explained } from "../versions/choose-version.ts";
import type { Tool } from "../versions/compatibility.ts";
import type { ManagerFault } from "./faults.ts";

export type ManagerOptions = {
  /** The folder that packages are installed in; the manager's own files are in `.backplane` there. */
  root: string;
  /** The design tool's list of installed packages, if it is not in the root; an absolute path. */
  stateFile?: string;
  /** The tool's brand; repositories are read in its spelling. */
  brand: string;
  tool: Tool;
  fetch: typeof globalThis.fetch;
  /** Milliseconds since 1970. */
  now: () => number;
  /** A bearer token that is sent only to this origin. */
  token?: { origin: string; value: string };
  onProgress?: (progress: Progress) => void;
  /** Do not use the network; lists and archives come from the cache. */
  offline?: boolean;
  /** Refuse a whole list if one of its packages breaks the schema. */
  strict?: boolean;
  /** Stops the current call; a package that is being installed ends up complete or unchanged. */
  signal?: AbortSignal;
  limits?: Partial<TransferLimits>;
};

export type TransferLimits = {
  /** Time from the request to the first byte of the answer. */
  answerWithinMs: number;
  /** Time between two pieces of a body. */
  silenceMs: number;
  /** The slowest allowed download, measured over `silenceMs` of waiting. */
  minBytesPerS: number;
  maxRedirects: number;
  /** Requests per file, including broken connections. */
  maxAttempts: number;
  /** The pause before the second attempt; it doubles each time. */
  retryPauseMs: number;
  maxRepositoryBytes: number;
  maxPackagesBytes: number;
  maxResourcesBytes: number;
  maxManifestBytes: number;
  maxArchiveBytes: number;
  /** Verified archives, kept for repairs and offline use; the oldest are deleted first. */
  maxCachedArchiveBytes: number;
  maxBundleBytes: number;
  maxRepositories: number;
  /** How long to wait for another process that is working on the same installation. */
  waitForOthersMs: number;
  maxLockBytes: number;
};

export type Progress =
  | { kind: "download"; identifier: string; done: number; total: number | undefined }
  | { kind: "unpack"; identifier: string; done: number; total: number }
  | { kind: "refresh"; repository: string; done: number; total: number }
  | { kind: "mirror"; identifier: string; done: number; total: number };

/** `id` is the one that KiCad uses: the first 16 hex digits of the sha256 of the address. */
export type RepositoryName = { id: string; name: string; url: string };

export type RepositoryView = RepositoryName & {
  /** When its list was last confirmed; absent if never. */
  checkedAtMs?: number;
  packages?: number;
  signed: boolean;
  /** The ids of the trusted keys, if it is signed. */
  keys: string[];
};

/** The result of refreshing one repository. */
export type Refreshed = RepositoryName & {
  /**
   * new: packages.json was downloaded; same: the cached one is current; cached: the repository could not be reached and
   * the cached list is used; refused: it failed verification, and nothing is installed from it.
   */
  state: "new" | "same" | "cached" | "refused";
  packages: number;
  checkedAtMs?: number;
  /** For people: packages that were left out, an old list and so on. */
  warnings: ListWarning[];
  /** For cached and refused. */
  fault?: ManagerFault;
};

export type ListWarning = CheckNote & { identifier?: string };

export type Found = {
  identifier: string;
  name: string;
  description: string;
  type: PackageType;
  license: string;
  tags: string[];
  repository: RepositoryName;
  /** The version that would be installed; absent if none works here. */
  version?: string;
  status?: string;
  installed?: string;
  pinned?: boolean;
};

export type PackageInfo = {
  package: Package;
  repository: RepositoryName;
  /** Other repositories that list the same identifier. */
  alsoIn: RepositoryName[];
  preferred?: PackageVersion;
  installed?: {
    version: string;
    version_epoch: number;
    pinned: boolean;
    repository_id: string;
    repository_name: string;
  };
  update?: PackageVersion;
  /** The age of the list, if it could not be refreshed. */
  listAgeMs?: number;
};

export type Explanation = {
  identifier: string;
  tool: Tool;
  /** One per configured repository, in order. */
  repositories: (RepositoryName & { has: boolean; chosen: boolean; because: string })[];
  /** Which version would be installed, and why the others would not. Latest version first. */
  install: Explained[];
  /** If it is installed: what `update` would do. */
  update?: { installed: string; pinned: boolean; versions: Explained[]; because: string };
};

export type InstallOptions = {
  /** As in `identifier@version`: "2.3.0", or with an epoch "1-2.3.0". */
  version?: string;
  /** Do not change the installation; the archive is downloaded to the cache to see its files. */
  dryRun?: boolean;
  /** Also install a version that does not work with the tool. */
  force?: boolean;
  /** Also install a version that has no sha256 in its metadata. */
  allowUnverified?: boolean;
  /** Also if it was installed from another repository. */
  changeRepository?: boolean;
  /** Pin the installed version. */
  pin?: boolean;
};

export type UpdateOptions = { dryRun?: boolean; allowUnverified?: boolean; changeRepository?: boolean };

/** The outcome for one package of a call. */
export type Outcome = {
  identifier: string;
  /** done; planned (dry run); nothing to do; failed (nothing was changed). */
  state: "done" | "planned" | "nothing" | "failed";
  version?: string;
  repository?: { id: string; name: string };
  plan?: Plan;
  /** For people, such as why nothing was done. */
  notes: string[];
  fault?: ManagerFault;
};

export type ListedInstalled = {
  identifier: string;
  name: string;
  version: string;
  version_epoch: number;
  pinned: boolean;
  repository: { id: string; name: string };
  installedAtS: number;
  /** The version that `update` would install, according to the cached lists. */
  update?: string;
  /** For people, if the design tool found this folder without knowing what it is. */
  note?: string;
  entry: InstalledEntry;
};

export type LockedPackage = {
  identifier: string;
  version: string;
  version_epoch?: number;
  sha256: string;
  size: number;
  url: string;
  repository: RepositoryName;
};
export type Lock = { format: "backplane-lock-1"; brand: string; packages: LockedPackage[] };
/** `notes` tell people which installed packages were left out, and why. */
export type WrittenLock = Lock & { notes: string[] };

export type MirrorOptions = {
  /** The address at which the folder will be served. */
  baseUrl: string;
  name?: string;
  /** The brand of the copy; default: the manager's. */
  brand?: string;
  /** Without it, the copy is not signed. */
  signingKey?: SigningKey;
  /** Delete archives and manifests that the repository no longer lists. */
  prune?: boolean;
  /** Fail if a version cannot be copied; otherwise it is left out and reported. */
  strict?: boolean;
};
export type Mirrored = {
  packages: number;
  versions: number;
  fetched: number;
  /** Archives that were already there with the right hash. */
  present: number;
  bytes: number;
  pruned: string[];
  leftOut: { identifier: string; version: string; fault: ManagerFault }[];
  warnings: ListWarning[];
};

/** What a repository lists. */
export type RepositoryContent = {
  name: string;
  packages: Package[];
  warnings: ListWarning[];
  /** An interrupted download is resumed. */
  fetch(identifier: string, version: PackageVersion): Promise<FetchedArchive>;
};
/** A verified archive that stays until it is disposed, whatever happens to the cache. */
export type FetchedArchive = AsyncDisposable & { file: string; sha256: string; size: number };

export type Bundled = { file: string; bytes: number; packages: LockedPackage[] };

/** A `spec` is `[repository:]identifier[@version]`; repository by its name or id. All methods throw `ManagerFault`. */
export type Manager = {
  readonly root: string;
  readonly repositories: {
    /** Downloads its list first, and adds it only if that can be read and verified. It comes last unless `first`. */
    add(url: string, options?: { name?: string; first?: boolean }): Promise<Refreshed>;
    /** In order: if two list the same identifier, the first one counts. */
    list(): Promise<RepositoryView[]>;
    /** By name, id or address. Deletes its list, but remembers its keys in case it is added again. */
    remove(repository: string): Promise<RepositoryName>;
  };
  /** Refreshes every repository. A failure is reported in the repository's entry, not thrown. */
  refresh(): Promise<Refreshed[]>;
  /** Sorted by relevance: identifier, name, tags, descriptions, people. An empty query lists everything. */
  search(query: string, options?: { type?: PackageType; fitting?: boolean; limit?: number }): Promise<Found[]>;
  info(spec: string): Promise<PackageInfo>;
  /** Which repository and version would be installed, and why. */
  explain(spec: string): Promise<Explanation>;
  /** Every package gets an outcome; one that fails does not affect the others. See `exitCodeOfOutcomes`. */
  install(specs: string | readonly string[], options?: InstallOptions): Promise<Outcome[]>;
  /** Updates these, or everything that is not pinned; each from the repository it came from. */
  update(identifiers?: readonly string[], options?: UpdateOptions): Promise<Outcome[]>;
  uninstall(identifiers: string | readonly string[], options?: { dryRun?: boolean }): Promise<Outcome[]>;
  list(): Promise<ListedInstalled[]>;
  /**
   * Compares every installed file with the manifest of its version; for packages that another program installed, with
   * the manifest that the repository publishes. See `exitCodeOfVerified`.
   */
  verify(identifiers?: readonly string[]): Promise<Verified[]>;
  /** Restores missing and altered files from the cache or the repository. Without names: of every package. */
  repair(identifiers?: readonly string[], options?: { dryRun?: boolean }): Promise<Outcome[]>;
  pin(identifier: string): Promise<void>;
  unpin(identifier: string): Promise<void>;
  /** Writes a lock file with the exact installed versions. */
  lock(file: string): Promise<WrittenLock>;
  /** Downloads and verifies everything before changing anything. Packages that are not in the lock file stay. */
  installFromLock(file: string, options?: { dryRun?: boolean }): Promise<Outcome[]>;
  /** A verified copy of a whole repository for any web server. Intact files are not downloaded again. */
  mirror(url: string, folder: string, options: MirrorOptions): Promise<Mirrored>;
  /** Everything that a repository lists, whether it is configured or not. */
  read(url: string): Promise<RepositoryContent>;
  /** A zip with everything needed to install these packages offline. It contains a static repository. */
  bundle(specs: readonly string[], file: string): Promise<Bundled>;
  /** Installs these packages, or all, from a bundle. Everything is verified before anything is changed. */
  installFromBundle(
    file: string,
    options?: { identifiers?: readonly string[]; dryRun?: boolean; force?: boolean; changeRepository?: boolean },
  ): Promise<Outcome[]>;
  /** The trusted keys per repository, and the counter of the newest index that was seen. */
  trustedKeys(): Promise<{ repository: RepositoryName; keys: PublicKey[]; counter: number }[]>;
  /** By name, id or address. The next refresh trusts the keys it finds, as on the first visit. */
  forgetKeys(repository: string): Promise<RepositoryName>;
  /** Waits for running calls. */
  close(): Promise<void>;
};

/** One entry of KiCad's installed_packages.json; `package` is in the brand's spelling. */
export type InstalledEntry = {
  package: Package;
  current_version: string;
  repository_id: string;
  repository_name: string;
  /** Seconds since 1970. */
  install_timestamp: number;
  pinned: boolean;
};

/** What a change does to the files of an installation. Paths are relative to its root, with slashes. */
export type Plan = {
  identifier: string;
  kind: "install" | "update" | "reinstall" | "uninstall";
  from?: string;
  to?: string;
  added: string[];
  replaced: string[];
  /** Kept because of keep_on_update, even if the new archive has them too. */
  kept: string[];
  deleted: string[];
  /** Files that the user made or changed, and that this deletes or replaces. */
  changed: string[];
  downloadBytes: number;
  installBytes: number;
  /** For people, such as an unusable keep_on_update pattern. */
  warnings: string[];
};

/** What `verify` found for one package. */
export type Verified = {
  identifier: string;
  version: string;
  files: number;
  missing: string[];
  altered: string[];
  /** In the package's folders, but not from its archive. */
  extra: string[];
  /** Kept because of keep_on_update; counted neither as altered nor as extra. */
  kept: string[];
  /** Without a manifest, only the presence of the package can be checked. */
  manifest: "known" | "unknown";
  /** For people, such as why there is no manifest. */
  note?: string;
};
