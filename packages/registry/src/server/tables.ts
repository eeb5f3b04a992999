import type { Generated } from "kysely";

/** Every table of the area. Times are epoch milliseconds. */
export type RegistryTables = {
  registry_packages: {
    /** The identifier in lower case: two that differ only in case would meet in one folder. */
    identifier_key: string;
    identifier: string;
    /** A person's or an organisation's id. */
    owner_id: string;
    /** The package as JSON, neutral spelling, `versions` empty: as its latest version said it. */
    metadata: string;
    icon: Uint8Array | null;
    created_at_ms: number;
    updated_at_ms: number;
    /** That of `registry_state` when this package or one of its versions last changed. */
    revision: Generated<number>;
  };
  registry_versions: {
    identifier_key: string;
    epoch: number;
    major: number;
    minor: number;
    patch: number;
    status: string;
    /** The version as JSON, neutral spelling, with sha256 and sizes, without status and address. */
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
  };
  /** Archives that are kept and not listed yet. Whoever lists one takes its row; whoever removes one gives it up first. */
  registry_uploads: {
    blob_key: string;
    since_ms: number;
    is_given_up: Generated<number>;
  };
  /** One row. */
  registry_state: {
    id: number;
    /** Grows with every change of what is served: listed packages, keys, a statement signed anew. */
    revision: number;
    /** Grows when the bytes of packages.json change; the next two when those of their files do, and are never larger. */
    update_timestamp: number;
    resources_timestamp: number;
    manifests_timestamp: number;
    /** When the statement of this revision was issued, in seconds: all instances sign the same. */
    issued_at_s: number;
    /** What besides the rows is in packages.json: the address of this registry and the like. */
    edges: string;
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
