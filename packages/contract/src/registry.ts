import { type Static, Type } from "typebox";

/** The bounds of the registry's calls. */
export const REGISTRY_LIMITS = {
  maxQueryCharacters: 200,
  defaultResults: 50,
  maxResults: 200,
  maxOffset: 100_000,
  /** An index that repository.json has named stays at its own address at least this long. */
  keepIndexMs: 60 * 60 * 1_000,
  maxRepositoryBytes: 20_480,
  /** What the field's client still reads. */
  maxPackagesBytes: 10 * 1024 * 1024,
} as const;

const closed = { additionalProperties: false };

const PackageTypeName = Type.Union([Type.Literal("plugin"), Type.Literal("library"), Type.Literal("colortheme")]);
const StatusName = Type.Union([
  Type.Literal("stable"),
  Type.Literal("testing"),
  Type.Literal("development"),
  Type.Literal("deprecated"),
]);
const PlatformName = Type.Union([Type.Literal("windows"), Type.Literal("macos"), Type.Literal("linux")]);
const RuntimeName = Type.Union([Type.Literal("swig"), Type.Literal("ipc")]);

/** The tool somebody has: `?tool=9.0.2&platform=linux`; `runtime` narrows what it offers. */
export const ToolQuery = Type.Object(
  {
    tool: Type.Optional(Type.String({ pattern: "^[0-9]{1,2}([.][0-9]{1,2}([.][0-9]{1,2})?)?$" })),
    platform: Type.Optional(PlatformName),
    runtime: Type.Optional(RuntimeName),
  },
  closed,
);

export const SearchQuery = Type.Object(
  {
    q: Type.Optional(Type.String({ maxLength: REGISTRY_LIMITS.maxQueryCharacters })),
    type: Type.Optional(PackageTypeName),
    owner: Type.Optional(Type.String({ maxLength: 64 })),
    ...ToolQuery.properties,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: REGISTRY_LIMITS.maxResults })),
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: REGISTRY_LIMITS.maxOffset })),
  },
  closed,
);

/** How a package stands to the tool of the query. */
export const Fit = Type.Object({
  state: Type.Union([Type.Literal("works"), Type.Literal("unstable-only"), Type.Literal("none")]),
  /** Of the version that would be installed. */
  version: Type.Optional(Type.String()),
  /** A few words for a person: "Works", "Testing only", "Windows only", "Needs 9.1". */
  words: Type.String(),
});

export const FoundPackage = Type.Object({
  identifier: Type.String(),
  name: Type.String(),
  description: Type.String(),
  type: PackageTypeName,
  license: Type.String(),
  tags: Type.Array(Type.String()),
  author: Type.String(),
  owner: Type.String(),
  has_icon: Type.Boolean(),
  /** The one to install, else the latest; absent: every version was withdrawn. */
  version: Type.Optional(Type.String()),
  status: Type.Optional(StatusName),
  published_at: Type.String(),
  downloads: Type.Integer(),
  /** With a tool in the query. */
  fit: Type.Optional(Fit),
});
export type FoundPackage = Static<typeof FoundPackage>;

export const SearchAnswer = Type.Object({
  total: Type.Integer(),
  packages: Type.Array(FoundPackage),
});
export type SearchAnswer = Static<typeof SearchAnswer>;

export const DetailedVersion = Type.Object({
  version: Type.String(),
  version_epoch: Type.Integer(),
  status: StatusName,
  tool_version: Type.String(),
  tool_version_max: Type.Optional(Type.String()),
  platforms: Type.Optional(Type.Array(PlatformName)),
  runtime: Type.Optional(RuntimeName),
  download_url: Type.String(),
  download_sha256: Type.String(),
  download_size: Type.Integer(),
  install_size: Type.Integer(),
  file_count: Type.Integer(),
  published_at: Type.String(),
  published_by: Type.String(),
  downloads: Type.Integer(),
  /** With a tool in the query: whether this is the one to install, and why or why not. */
  chosen: Type.Optional(Type.Boolean()),
  because: Type.Optional(Type.String()),
  works: Type.Optional(Type.Boolean()),
});
export type DetailedVersion = Static<typeof DetailedVersion>;

/** GET /registry/packages/{identifier}/details: what its page shows. Versions: later first. */
export const PackageDetails = Type.Object({
  identifier: Type.String(),
  name: Type.String(),
  description: Type.String(),
  description_full: Type.String(),
  type: PackageTypeName,
  license: Type.String(),
  author: Type.Object({ name: Type.String(), contact: Type.Record(Type.String(), Type.String()) }),
  maintainer: Type.Optional(Type.Object({ name: Type.String(), contact: Type.Record(Type.String(), Type.String()) })),
  category: Type.Optional(Type.String()),
  resources: Type.Record(Type.String(), Type.String()),
  tags: Type.Array(Type.String()),
  keep_on_update: Type.Array(Type.String()),
  owner: Type.String(),
  has_icon: Type.Boolean(),
  downloads: Type.Integer(),
  versions: Type.Array(DetailedVersion),
  /** Whether the caller may publish versions of it and change their status. */
  may_publish: Type.Boolean(),
});
export type PackageDetails = Static<typeof PackageDetails>;

/** One line of what a check found; line and column are those of metadata.json. */
export const CheckNote = Type.Object({
  level: Type.Union([Type.Literal("error"), Type.Literal("warning")]),
  /** A stable word: "schema", a rule of the linter, or why an archive is refused. */
  rule: Type.String(),
  pointer: Type.Optional(Type.String()),
  line: Type.Optional(Type.Integer()),
  column: Type.Optional(Type.Integer()),
  path: Type.Optional(Type.String()),
  message: Type.String(),
  fix: Type.Optional(Type.String()),
});
export type CheckNote = Static<typeof CheckNote>;

/** POST /registry/packages?owner=NAME&check=true */
export const PublishQuery = Type.Object(
  {
    /** Whose package a new one becomes: the caller's own name, or an organisation's they are in. */
    owner: Type.Optional(Type.String({ maxLength: 64 })),
    /** Only look: nothing is kept. */
    check: Type.Optional(Type.Boolean()),
  },
  closed,
);

export const CheckedUpload = Type.Object({
  /** Whether it would be published, were it sent without `check`. */
  publishable: Type.Boolean(),
  identifier: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  version: Type.Optional(Type.String()),
  version_epoch: Type.Optional(Type.Integer()),
  download_sha256: Type.String(),
  download_size: Type.Integer(),
  install_size: Type.Optional(Type.Integer()),
  file_count: Type.Optional(Type.Integer()),
  notes: Type.Array(CheckNote),
});
export type CheckedUpload = Static<typeof CheckedUpload>;

export const PublishedVersion = Type.Object({
  identifier: Type.String(),
  version: Type.String(),
  version_epoch: Type.Integer(),
  status: StatusName,
  owner: Type.String(),
  download_url: Type.String(),
  download_sha256: Type.String(),
  download_size: Type.Integer(),
  install_size: Type.Integer(),
  warnings: Type.Array(CheckNote),
});
export type PublishedVersion = Static<typeof PublishedVersion>;

export const StatusChange = Type.Object({ status: StatusName }, closed);
export type StatusChange = Static<typeof StatusChange>;

export const RegistryKeys = Type.Object({
  keys: Type.Array(
    Type.Object({
      id: Type.String(),
      key: Type.String(),
      state: Type.Union([Type.Literal("current"), Type.Literal("next"), Type.Literal("retired")]),
      created_at: Type.String(),
    }),
  ),
});
export type RegistryKeys = Static<typeof RegistryKeys>;

/** GET /registry: what the pages and the package manager need to know about this registry. */
export const RegistryFacts = Type.Object({
  name: Type.String(),
  brands: Type.Array(Type.String()),
  repository_url: Type.String(),
  packages: Type.Integer(),
  versions: Type.Integer(),
  update_timestamp: Type.Integer(),
  /** Of the longest packages.json; the field's client refuses one that is longer than the most. */
  packages_bytes: Type.Integer(),
  max_packages_bytes: Type.Integer(),
  max_archive_bytes: Type.Integer(),
});
export type RegistryFacts = Static<typeof RegistryFacts>;
