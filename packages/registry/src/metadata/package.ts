import type { ListedVersion, PackageType, Status } from "../versions/compatible.ts";

/** A person or a group, and where they can be reached. */
export type Contact = { name: string; contact: Record<string, string> };

/** One version of a package, in the neutral spelling of the two fields that carry the tool's brand. */
export type PackageVersion = ListedVersion & {
  download_url?: string;
  download_sha256?: string;
  download_size?: number;
  install_size?: number;
  keep_on_update?: string[];
};

/** A package as the contract lists it, in the neutral spelling. Keys that the contract does not know may stand beside. */
export type Package = {
  name: string;
  description: string;
  description_full: string;
  identifier: string;
  type: PackageType;
  author: Contact;
  maintainer?: Contact;
  category?: string;
  license: string;
  resources: Record<string, string>;
  tags?: string[];
  keep_on_update?: string[];
  versions: PackageVersion[];
};

/** A file that a repository refers to. */
export type RepositoryResource = { url: string; sha256?: string; update_timestamp: number; update_time_utc?: string };

export type Repository = {
  $schema?: string;
  name: string;
  packages: RepositoryResource;
  resources?: RepositoryResource;
  manifests?: RepositoryResource;
  maintainer?: Contact;
};

export type { PackageType, Status };
