// As on the wire, and written out: what installs the sdk installs nothing else of Backplane.

export type PackageStatus = "stable" | "testing" | "development" | "deprecated";
export type PackageType = "plugin" | "library" | "colortheme";
export type PackagePlatform = "windows" | "macos" | "linux";
export type PackageRuntime = "swig" | "ipc";

/** One thing that a check found; line and column are those of metadata.json. */
export type PackageNote = {
  level: "error" | "warning";
  rule: string;
  pointer?: string;
  line?: number;
  column?: number;
  path?: string;
  message: string;
  fix?: string;
};

export type CheckedPackage = {
  publishable: boolean;
  identifier?: string;
  name?: string;
  version?: string;
  version_epoch?: number;
  download_sha256: string;
  download_size: number;
  install_size?: number;
  file_count?: number;
  notes: PackageNote[];
};

export type PublishedPackage = {
  identifier: string;
  version: string;
  version_epoch: number;
  status: PackageStatus;
  owner: string;
  download_url: string;
  download_sha256: string;
  download_size: number;
  install_size: number;
  warnings: PackageNote[];
};

export type FoundPackage = {
  identifier: string;
  name: string;
  description: string;
  type: PackageType;
  license: string;
  tags: string[];
  author: string;
  owner: string;
  has_icon: boolean;
  version?: string;
  status?: PackageStatus;
  published_at: string;
  downloads: number;
  /** With a tool in the question: whether it works there. */
  fit?: { state: "works" | "unstable-only" | "none"; version?: string; words: string };
};

export type FoundPackages = { total: number; packages: FoundPackage[] };

export type PackageVersionDetails = {
  version: string;
  version_epoch: number;
  status: PackageStatus;
  tool_version: string;
  tool_version_max?: string;
  platforms?: PackagePlatform[];
  runtime?: PackageRuntime;
  download_url: string;
  download_sha256: string;
  download_size: number;
  install_size: number;
  file_count: number;
  published_at: string;
  published_by: string;
  downloads: number;
  /** With a tool in the question: whether this is the one to install, and why or why not. */
  chosen?: boolean;
  because?: string;
  works?: boolean;
};

export type PackageContact = { name: string; contact: Record<string, string> };

export type PackageDetails = {
  identifier: string;
  name: string;
  description: string;
  description_full: string;
  type: PackageType;
  license: string;
  author: PackageContact;
  maintainer?: PackageContact;
  category?: string;
  resources: Record<string, string>;
  tags: string[];
  keep_on_update: string[];
  owner: string;
  has_icon: boolean;
  downloads: number;
  versions: PackageVersionDetails[];
  may_publish: boolean;
};

export type RegistryKey = { id: string; key: string; state: "current" | "next" | "retired"; created_at: string };
