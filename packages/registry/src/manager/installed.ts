import type { Package } from "@backplane/contract/registry";
import type { ArchiveFile } from "../archives/archive.ts";

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

/** The file list of one installed version. */
export type Manifest = { identifier: string; version: string; version_epoch?: number; files: ArchiveFile[] };
