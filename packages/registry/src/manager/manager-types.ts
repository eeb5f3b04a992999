import type { CheckNote, Package, PackageType, PackageVersion } from "@backplane/contract/registry";
import type { PublicKey, SigningKey } from "../signing/keys.ts";
import type { Explained, Tool } from "../versions/choose-version.ts";
import type { ManagerFault } from "./faults.ts";

export type ManagerOptions = {
  /** The folder that packages are installed to; the manager's own files are below `.backplane` in it. */
  root: string;
  /** Where the design tool keeps its list of installed packages, when not in the root; an absolute path. */
  stateFile?: string;
  /** The tool's brand, in whose spelling repositories are read. */
  brand: string;
  tool: Tool;
  fetch: typeof globalThis.fetch;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Sent as bearer to this origin and to no other. */
  token?: { origin: string; value: string };
  onProgress?: (progress: Progress) => void;
  /** Nothing is asked of the network; lists and archives come from the cache. */
  offline?: boolean;
  /** A list in which one package breaks the schema is refused as a whole. */
  strict?: boolean;
  /** Ends what is under way; what is being installed is left as it was or whole. */
  signal?: AbortSignal;
  limits?: Partial<TransferLimits>;
};

export type TransferLimits = {
  /** From the request to the first byte of the answer. */
  answerWithinMs: number;
  /** Between two pieces of a body. */
  silenceMs: number;
  /** Of a body, over any such time that was spent waiting for it. */
  minBytesPerS: number;
  maxRedirects: number;
  /** Requests for one file, connections that broke included. */
  maxAttempts: number;
  /** Before the second attempt; doubles each time. */
  retryPauseMs: number;
  maxRepositoryBytes: number;
  maxPackagesBytes: number;
  maxResourcesBytes: number;
  maxManifestBytes: number;
  maxArchiveBytes: number;
  /** Verified archives that are kept for repairs and for being offline; the oldest go first. */
  maxCachedArchiveBytes: number;
  maxBundleBytes: number;
  maxRepositories: number;
  /** For another process that works on the same installation. */
  waitForOthersMs: number;
  maxLockBytes: number;
};

export type Progress =
  | { kind: "download"; identifier: string; done: number; total: number | undefined }
  | { kind: "unpack"; identifier: string; done: number; total: number }
  | { kind: "refresh"; repository: string; done: number; total: number }
  | { kind: "mirror"; identifier: string; done: number; total: number };

/** Which repository: `id` is what the field's client would call it, the first 16 hex digits of sha256 of its address. */
export type RepositoryName = { id: string; name: string; url: string };

export type RepositoryView = RepositoryName & {
  /** When its list was last confirmed; absent: never. */
  checkedAtMs?: number;
  packages?: number;
  signed: boolean;
  /** Key ids that are believed, when it is signed. */
  keys: string[];
};

/** What asking one repository for its list gave. */
export type Refreshed = RepositoryName & {
  /**
   * new: packages.json was fetched; same: the one at hand is the newest; cached: the repository could not be reached,
   * the one at hand is used; refused: it is not believed, and nothing is installed from it.
   */
  state: "new" | "same" | "cached" | "refused";
  packages: number;
  checkedAtMs?: number;
  /** Schema violations that were dropped, a list that is old, and so on, for people. */
  warnings: ListWarning[];
  /** With cached and refused. */
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
  /** The version that would be installed; absent: none works here. */
  version?: string;
  status?: string;
  installed?: string;
  pinned?: boolean;
};

export type PackageInfo = {
  package: Package;
  repository: RepositoryName;
  /** Others that have the same identifier, and are passed over. */
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
  /** How old the list is, when it could not be renewed. */
  listAgeMs?: number;
};

export type Explanation = {
  identifier: string;
  tool: Tool;
  /** One for each configured repository, in their order. */
  repositories: (RepositoryName & { has: boolean; chosen: boolean; because: string })[];
  /** What would be installed, and why each other is not. Later versions first. */
  install: Explained[];
  /** When it is installed: what `update` would do. */
  update?: { installed: string; pinned: boolean; versions: Explained[]; because: string };
};

export type InstallOptions = {
  /** As in `identifier@version`: "2.3.0", with an epoch "1-2.3.0". */
  version?: string;
  /** Nothing of the installation is touched; the archive is fetched to the cache, to see its files. */
  dryRun?: boolean;
  /** Also a version that does not fit the tool. */
  force?: boolean;
  /** Also a version without sha256 in its metadata. */
  allowUnverified?: boolean;
  /** Also when it was installed from another repository. */
  changeRepository?: boolean;
  /** Pin it. */
  pin?: boolean;
};

export type UpdateOptions = { dryRun?: boolean; allowUnverified?: boolean; changeRepository?: boolean };

/** What became of one of the packages of a call. */
export type Outcome = {
  identifier: string;
  /** done; planned (dry run); nothing: it is as it should be; failed: it is as it was. */
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
  /** The later version that `update` would install. Only from lists that are at hand. */
  update?: string;
  /** For people: what the design tool found in its folders without knowing what it is. */
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
/** `notes` for people: which installed packages are not in it, and why. */
export type WrittenLock = Lock & { notes: string[] };

export type MirrorOptions = {
  /** Where the folder will be served: addresses in it begin with this. */
  baseUrl: string;
  name?: string;
  /** Of the copy; else the manager's. */
  brand?: string;
  /** Signs the copy; without it the copy is not signed. */
  signingKey?: SigningKey;
  /** Deletes archives and manifests that the repository no longer lists. */
  prune?: boolean;
  /** One version that cannot be copied fails the whole; else it is left out and told. */
  strict?: boolean;
};
export type Mirrored = {
  packages: number;
  versions: number;
  fetched: number;
  /** Were there, with the right hash. */
  present: number;
  bytes: number;
  pruned: string[];
  leftOut: { identifier: string; version: string; fault: ManagerFault }[];
  warnings: ListWarning[];
};

export type Bundled = { file: string; bytes: number; packages: LockedPackage[] };

/** A `spec` is `[repository:]identifier[@version]`; repository by its name or id. All methods throw `ManagerFault`. */
export type Manager = {
  readonly root: string;
  readonly repositories: {
    /** Fetches its list first: only what can be read and verified is added, last in the order unless `first`. */
    add(url: string, options?: { name?: string; first?: boolean }): Promise<Refreshed>;
    /** In their order: of two with the same identifier the first one counts. */
    list(): Promise<RepositoryView[]>;
    /** By name, id or address. Forgets its list; its keys stay remembered, so that adding it again does not trust anew. */
    remove(repository: string): Promise<RepositoryName>;
  };
  /** Asks every repository for its list. Does not throw for one that fails: its entry tells. */
  refresh(): Promise<Refreshed[]>;
  /** By relevance: identifier, part of it, name, tag, descriptions, people. An empty query lists everything. */
  search(query: string, options?: { type?: PackageType; fitting?: boolean; limit?: number }): Promise<Found[]>;
  info(spec: string): Promise<PackageInfo>;
  /** Why which repository and which version, or why not. */
  explain(spec: string): Promise<Explanation>;
  /** Each is reported; one that fails leaves the others and the installation as they are. See `exitCodeOf`. */
  install(specs: string | readonly string[], options?: InstallOptions): Promise<Outcome[]>;
  /** All that is installed and not pinned, or these; each from the repository that it came from. */
  update(identifiers?: readonly string[], options?: UpdateOptions): Promise<Outcome[]>;
  uninstall(identifiers: string | readonly string[], options?: { dryRun?: boolean }): Promise<Outcome[]>;
  list(): Promise<ListedInstalled[]>;
  /**
   * Every installed file against the manifest of its version; for what another program installed, against the one that
   * its repository publishes. See `exitCodeOfVerified`.
   */
  verify(identifiers?: readonly string[]): Promise<Verified[]>;
  /** Puts back what is missing or altered, from the cache or the repository. Without names: all that `verify` finds. */
  repair(identifiers?: readonly string[], options?: { dryRun?: boolean }): Promise<Outcome[]>;
  pin(identifier: string): Promise<void>;
  unpin(identifier: string): Promise<void>;
  /** Writes which versions are installed, to the byte. */
  lock(file: string): Promise<WrittenLock>;
  /** All of them are fetched and verified before the first is touched. What is not in the lock file stays. */
  installFromLock(file: string, options?: { dryRun?: boolean }): Promise<Outcome[]>;
  /** A verified copy of a whole repository as files for any web server. What is there and right is not fetched again. */
  mirror(url: string, folder: string, options: MirrorOptions): Promise<Mirrored>;
  /** One zip with everything to install these without a network: it is a static repository in itself. */
  bundle(specs: readonly string[], file: string): Promise<Bundled>;
  /** All that is in the bundle, or these of it. Everything is verified before the first is touched. */
  installFromBundle(
    file: string,
    options?: { identifiers?: readonly string[]; dryRun?: boolean; force?: boolean; changeRepository?: boolean },
  ): Promise<Outcome[]>;
  /** The keys that are believed, by repository, and the counter of the newest index that was seen. */
  trustedKeys(): Promise<{ repository: RepositoryName; keys: PublicKey[]; counter: number }[]>;
  /** The next visit believes what it finds, as if it was the first. By name, id or address. */
  forgetKeys(repository: string): Promise<RepositoryName>;
  /** Nothing is held between calls; this waits for what is under way. */
  close(): Promise<void>;
};

/** One entry of installed_packages.json, as the field writes it; `package` in the brand's spelling. */
export type InstalledEntry = {
  package: Package;
  current_version: string;
  repository_id: string;
  repository_name: string;
  /** Seconds since 1970. */
  install_timestamp: number;
  pinned: boolean;
};

/** What one change does to the files of an installation; paths from its root, with slashes. */
export type Plan = {
  identifier: string;
  kind: "install" | "update" | "reinstall" | "uninstall";
  from?: string;
  to?: string;
  added: string[];
  replaced: string[];
  /** Named by keep_on_update: they stay as they are, also when the new archive has them. */
  kept: string[];
  deleted: string[];
  /** Files of the person's own or changed by them, that this deletes or replaces. */
  changed: string[];
  downloadBytes: number;
  installBytes: number;
  /** For people, such as a keep_on_update pattern that cannot be used. */
  warnings: string[];
};

/** What `verify` finds of one package. */
export type Verified = {
  identifier: string;
  version: string;
  files: number;
  missing: string[];
  altered: string[];
  /** In the package's folders, but of no archive. */
  extra: string[];
  /** Named by keep_on_update: the person's own, neither altered nor extra. */
  kept: string[];
  /** Whether its manifest was known; without one only presence can be told. */
  manifest: "known" | "unknown";
  /** For people, such as why its manifest is not known. */
  note?: string;
};
