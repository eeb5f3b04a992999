import type { Generated } from "kysely";

/** Every table of the registry. Times are epoch milliseconds. */
export type RegistryTables = {
  registry_packages: {
    /** The identifier in lower case, because identifiers that differ only in case would share a folder. */
    identifier_key: string;
    identifier: string;
    /** The id of a user or an organisation. */
    owner_id: string;
    /** The package as JSON in the neutral spelling, without versions, from the metadata of its latest version. */
    metadata: string;
    icon: Uint8Array | null;
    created_at_ms: number;
    updated_at_ms: number;
    /** 1: in no public list. */
    is_private: Generated<number>;
    /** The revision of `registry_state` when this package or one of its versions last changed. */
    revision: Generated<number>;
  };
  registry_versions: {
    identifier_key: string;
    epoch: number;
    major: number;
    minor: number;
    patch: number;
    status: string;
    /** The version as JSON in the neutral spelling, with sha256 and sizes, without status and address. */
    metadata: string;
    /** Where the archive is in the blob store; its bytes never change. */
    blob_key: string;
    sha256: string;
    size: number;
    install_size: number;
    file_count: number;
    /** `{identifier, version, version_epoch?, files}` as JSON. */
    manifest: string;
    manifest_sha256: string;
    manifest_size: number;
    published_by: string;
    published_at_ms: number;
    downloads: number;
    /** Where the pictures for its page are in the archive, as JSON. */
    screenshots: string | null;
    /** A `PanelManifest` as JSON, if it is a panel for workspaces. */
    panel: string | null;
    /** Set when it was unpublished: its archive and its manifest are gone, and this row keeps its number reserved. */
    unpublished_at_ms: number | null;
    unpublished_by: string | null;
    unpublished_reason: string | null;
  };
  /** Archives that are stored but not listed. Listing deletes the row; removing marks it as given up first. */
  registry_uploads: {
    blob_key: string;
    since_ms: number;
    is_given_up: Generated<number>;
  };
  /** One row. */
  registry_state: {
    id: number;
    /** Grows with every change of what is served: packages, keys, a renewed statement. */
    revision: number;
    /** Grows when packages.json changes; the next two when their files change. They are never larger than this one. */
    update_timestamp: number;
    resources_timestamp: number;
    manifests_timestamp: number;
    /** When the statement of this revision was issued, in seconds, so that all instances sign the same. */
    issued_at_s: number;
    /** What packages.json depends on besides the rows, such as the address of this registry. */
    edges: string;
  };
  /** Secret addresses: who has one reads the private packages of its owner. */
  registry_addresses: {
    id: string;
    owner_id: string;
    name: string;
    token_hash: string;
    created_by: string;
    created_at_ms: number;
  };
  registry_keys: {
    id: string;
    public_key: string;
    private_key: string;
    state: "current" | "next" | "retired";
    created_at_ms: number;
    retired_at_ms: number | null;
  };
};
