import { type Static, type TSchema, Type } from "typebox";
import { PanelManifest } from "./panels/packages.ts";
import { PRIVATE_LIMITS, REGISTRY_LIMITS } from "./registry/limits.ts";

export * from "./registry/limits.ts";

const closed = { additionalProperties: false };

// --- Package metadata ---
//
// The one declaration of what packages.json and repository.json hold. From it come the types, the checks, the order of
// keys, the published JSON Schemas (GET /schemas/package.v1.json and package.v2.json) and the answers below. Every part
// that has a `title` becomes a definition of those schemas. Unknown keys are allowed everywhere. `Package` and
// `Repository` are what can be published here; SCHEMA_VERSIONS says where the published schemas differ from it.

/** Clients that know version 2 of the schema ask for it with this type in `Accept`. Others get version 1. */
export const SCHEMA_V2_MEDIA_TYPE = "application/vnd.kicad.pcm.v2+json";
export type SchemaVersion = 1 | 2;

/** A string that is one of these. */
const oneOf = <const Value extends string>(values: readonly Value[]) =>
  Type.Unsafe<Value>({ type: "string", enum: values });
const text = (maxLength: number) => Type.String({ maxLength });
const pattern = (source: string) => Type.String({ pattern: source });
const uniqueArray = <Item extends TSchema>(items: Item, options: { minItems?: number } = {}) =>
  Type.Array(items, { uniqueItems: true, ...options });

/** An object whose keys match the pattern; the values are short texts. */
const textsByName = (keyPattern: string) =>
  Type.Unsafe<Record<string, string>>({
    type: "object",
    patternProperties: { [keyPattern]: { type: "string", maxLength: 500 } },
    additionalProperties: false,
  });

/** Tags, and in version 2 of the schema also types and categories. */
export const WORD_PATTERN = "^[a-z][-a-z0-9]{0,48}[a-z0-9]$";
const Word = pattern(WORD_PATTERN);

/** The types of version 1. */
export const V1_TYPES = ["plugin", "library", "colortheme"] as const;
export const PackageType = Word;
export type PackageType = Static<typeof PackageType>;

/** From the most stable to the least. */
export const STATUSES = ["stable", "testing", "development", "deprecated"] as const;
export const Status = oneOf(STATUSES);
export type Status = Static<typeof Status>;

export const Platform = oneOf(["windows", "macos", "linux"]);
export type Platform = Static<typeof Platform>;

export const RUNTIMES = ["swig", "ipc"] as const;
export const Runtime = oneOf(RUNTIMES);
export type Runtime = Static<typeof Runtime>;

const Sha256 = pattern("^[a-f0-9]{64}$");
const Bytes = Type.Integer({ minimum: 0 });
export const TOOL_VERSION_PATTERN = "^[0-9]{1,2}([.][0-9]{1,2}([.][0-9]{1,2})?)?$";
const ToolVersion = pattern(TOOL_VERSION_PATTERN);

/** http or https with a host and no whitespace, or file with a drive or a slash and no NUL. */
const Url = Type.String({
  pattern: "^(https?://[^\\s/][^\\s]*|file://([A-Za-z]:|/)[^\\u0000]*)$",
  title: "URL",
  description: "An address that begins with https://, http:// or file://",
});

/** The licences of version 1. */
export const LICENSES = `
public-domain Apache Apache-1.0 Apache-2.0 Artistic Artistic-1.0 Artistic-2.0 BSD BSD-2-Clause BSD-3-Clause BSD-4-Clause
ISC CC-BY CC-BY-1.0 CC-BY-2.0 CC-BY-2.5 CC-BY-3.0 CC-BY-4.0 CC-BY-SA CC-BY-SA-1.0 CC-BY-SA-2.0 CC-BY-SA-2.5 CC-BY-SA-3.0
CC-BY-SA-4.0 CC-BY-ND CC-BY-ND-1.0 CC-BY-ND-2.0 CC-BY-ND-2.5 CC-BY-ND-3.0 CC-BY-ND-4.0 CC-BY-NC CC-BY-NC-1.0 CC-BY-NC-2.0
CC-BY-NC-2.5 CC-BY-NC-3.0 CC-BY-NC-4.0 CC-BY-NC-SA CC-BY-NC-SA-1.0 CC-BY-NC-SA-2.0 CC-BY-NC-SA-2.5 CC-BY-NC-SA-3.0
CC-BY-NC-SA-4.0 CC-BY-NC-ND CC-BY-NC-ND-1.0 CC-BY-NC-ND-2.0 CC-BY-NC-ND-2.5 CC-BY-NC-ND-3.0 CC-BY-NC-ND-4.0 CC0-1.0
CDDL-1.0 CPL EFL EFL-1.0 EFL-2.0 MIT GPL GPL-1.0 GPL-2.0 GPL-3.0 LGPL LGPL-2.1 LGPL-3.0 GNU-LGPL-2.0 GFDL GFDL-1.0
GFDL-1.1 GFDL-1.2 GFDL-1.3 GFDL-NIV LPPL LPPL-1.0 LPPL-1.1 LPPL-1.2 LPPL-1.3 MPL-1.1 Perl Python-2.0 QPL-1.0 W3C Zlib Zope
Zope-1.0 Zope-1.1 Zope-2.0 Zope-2.1 CERN-OHL WTFPL Unlicense open-source unrestricted
`
  .trim()
  .split(/\s+/);

const V1_LICENSE = {
  type: "string",
  enum: LICENSES,
  title: "License",
  description: "The licences that a package may name",
};

/** One of version 1, or an SPDX expression; the format is checked by the registry. */
const License = Type.String({ maxLength: 500, format: "license" });

export const Contact = Type.Object(
  { name: text(500), contact: textsByName("^[a-z][-a-z0-9 ]{0,48}[a-z0-9]$") },
  { title: "Contact", description: "A person or a group, and how to reach them" },
);
export type Contact = Static<typeof Contact>;

/**
 * Every brand of the design tool spells the two tool versions its own way (`kicad_version`, `kicad_version_max`); this
 * is the neutral spelling, which everything but the files of a brand uses.
 */
export const PackageVersion = Type.Object(
  {
    version: pattern("^[0-9]{1,4}([.][0-9]{1,4}([.][0-9]{1,6})?)?$"),
    version_epoch: Type.Optional(Type.Integer({ minimum: 0 })),
    download_url: Type.Optional(Url),
    download_sha256: Type.Optional(Sha256),
    download_size: Type.Optional(Bytes),
    install_size: Type.Optional(Bytes),
    status: Status,
    platforms: Type.Optional(uniqueArray(Platform, { minItems: 1 })),
    /** "swig" when a plugin names none. */
    runtime: Type.Optional(Runtime),
    tool_version: ToolVersion,
    tool_version_max: Type.Optional(ToolVersion),
    keep_on_update: Type.Optional(uniqueArray(Type.String())),
  },
  {
    title: "PackageVersion",
    description: "One version of a package; of two versions, the one with the higher epoch is later",
  },
);
export type PackageVersion = Static<typeof PackageVersion>;

export const Package = Type.Object(
  {
    name: text(200),
    description: text(500),
    description_full: text(5_000),
    identifier: pattern("^[a-zA-Z][-a-zA-Z0-9.]{0,98}[a-zA-Z0-9]$"),
    type: PackageType,
    author: Contact,
    maintainer: Type.Optional(Contact),
    category: Type.Optional(Type.String()),
    license: License,
    resources: textsByName("^[a-zA-Z][-a-zA-Z0-9 ]{0,48}[a-zA-Z0-9]$"),
    tags: Type.Optional(uniqueArray(Word, { minItems: 1 })),
    /** Regular expressions: files that an update leaves alone. */
    keep_on_update: Type.Optional(uniqueArray(Type.String())),
    versions: uniqueArray(PackageVersion),
  },
  { title: "Package", description: "A package and its versions" },
);
export type Package = Static<typeof Package>;

export const PackageArray = Type.Object(
  { packages: Type.Array(Package) },
  { title: "PackageArray", description: "packages.json: every package of a repository" },
);

export const RepositoryResource = Type.Object(
  {
    url: Url,
    sha256: Type.Optional(Sha256),
    update_timestamp: Type.Integer(),
    update_time_utc: Type.Optional(pattern("^2[0-9]{3}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$")),
  },
  { title: "RepositoryResource", description: "A file of a repository, and when it last changed" },
);
export type RepositoryResource = Static<typeof RepositoryResource>;

export const Repository = Type.Object(
  {
    name: text(500),
    packages: RepositoryResource,
    resources: Type.Optional(RepositoryResource),
    manifests: Type.Optional(RepositoryResource),
    maintainer: Type.Optional(Contact),
    /** The version of the schema that packages.json follows; absent means 1. */
    schema_version: Type.Optional(Type.Integer({ minimum: 1 })),
    $schema: Type.Optional(Url),
  },
  { title: "Repository", description: "repository.json: where the files of a repository are" },
);
export type Repository = Static<typeof Repository>;

type Differences = Readonly<Record<string, Readonly<Record<string, object | undefined>>>>;

/**
 * Fields of a titled part that a version of the schema declares differently; undefined: it does not have the field. Plain
 * JSON Schema without TypeBox, so that pages can import the values of this file without bundling TypeBox.
 */
export const SCHEMA_VERSIONS: Readonly<Record<SchemaVersion, Differences>> = {
  1: {
    Package: { type: { type: "string", enum: V1_TYPES }, license: V1_LICENSE },
    Repository: { schema_version: undefined },
  },
  2: { Package: { category: { type: "string", pattern: WORD_PATTERN }, license: { type: "string" } } },
};

// --- Calls of the server ---

/** The tool that a caller has: `?tool=9.0.2&platform=linux`; `runtime` leaves only one of the runtimes. */
export const ToolQuery = Type.Object(
  {
    tool: Type.Optional(ToolVersion),
    platform: Type.Optional(Platform),
    runtime: Type.Optional(Runtime),
  },
  closed,
);
export type ToolQuery = Static<typeof ToolQuery>;

export const SearchQuery = Type.Object(
  {
    q: Type.Optional(text(REGISTRY_LIMITS.maxQueryCharacters)),
    type: Type.Optional(PackageType),
    owner: Type.Optional(text(64)),
    ...ToolQuery.properties,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: REGISTRY_LIMITS.maxResults })),
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: REGISTRY_LIMITS.maxOffset })),
  },
  closed,
);

/** Whether a package works with the tool in the query. */
export const Fit = Type.Object({
  state: oneOf(["works", "unstable-only", "none"]),
  /** The version that would be installed. */
  version: Type.Optional(Type.String()),
  /** A few words for people: "Works", "Testing only", "Windows only", "Needs 9.1". */
  words: Type.String(),
});
export type Fit = Static<typeof Fit>;

const about = Package.properties;

export const FoundPackage = Type.Object({
  identifier: about.identifier,
  name: about.name,
  description: about.description,
  type: about.type,
  license: Type.String(),
  tags: Type.Array(Type.String()),
  author: Type.String(),
  owner: Type.String(),
  has_icon: Type.Boolean(),
  /** The version to install, or the latest one; absent when every version was withdrawn. */
  version: Type.Optional(Type.String()),
  status: Type.Optional(Status),
  published_at: Type.String(),
  downloads: Type.Integer(),
  /** Only when the query names a tool. */
  fit: Type.Optional(Fit),
});
export type FoundPackage = Static<typeof FoundPackage>;

export const SearchAnswer = Type.Object({
  total: Type.Integer(),
  packages: Type.Array(FoundPackage),
});
export type SearchAnswer = Static<typeof SearchAnswer>;

/** What is known of every published archive. */
const publishedArchive = {
  download_url: Url,
  download_sha256: Sha256,
  download_size: Bytes,
  install_size: Bytes,
};

/** GET /registry/packages/{identifier}/screenshots/{sha256}.png */
export const PackageScreenshot = Type.Object({
  sha256: Sha256,
  /** Its file name, without ".png". */
  name: Type.String(),
  width: Type.Integer(),
  height: Type.Integer(),
});
export type PackageScreenshot = Static<typeof PackageScreenshot>;

export const DetailedVersion = Type.Object({
  ...PackageVersion.properties,
  ...publishedArchive,
  screenshots: Type.Array(PackageScreenshot),
  /** If it is a panel for workspaces. */
  panel: Type.Optional(PanelManifest),
  version_epoch: Type.Integer(),
  file_count: Type.Integer(),
  published_at: Type.String(),
  published_by: Type.String(),
  downloads: Type.Integer(),
  /** Only when the query names a tool: whether this is the version to install, and why or why not. */
  chosen: Type.Optional(Type.Boolean()),
  because: Type.Optional(Type.String()),
  works: Type.Optional(Type.Boolean()),
});
export type DetailedVersion = Static<typeof DetailedVersion>;

/** A version whose archive was deleted. Its number stays reserved. */
const UnpublishedVersion = Type.Object({
  version: Type.String(),
  version_epoch: Type.Integer(),
  reason: Type.String(),
  unpublished_at: Type.String(),
  unpublished_by: Type.String(),
});
export type UnpublishedVersion = Static<typeof UnpublishedVersion>;

/** GET /registry/packages/{identifier}/details: what the package's page shows. The latest version comes first. */
export const PackageDetails = Type.Object({
  ...about,
  license: Type.String(),
  /** Why clients that only know version 1 of the schema do not list it; absent if they do. */
  needs_v2: Type.Optional(Type.String()),
  tags: Type.Array(Type.String()),
  keep_on_update: Type.Array(Type.String()),
  owner: Type.String(),
  has_icon: Type.Boolean(),
  downloads: Type.Integer(),
  versions: Type.Array(DetailedVersion),
  unpublished: Type.Array(UnpublishedVersion),
  /** Whether only its owner sees it, and whoever has a secret address. */
  private: Type.Boolean(),
  /** Whether the caller may publish versions of this package and change their status. */
  may_publish: Type.Boolean(),
});
export type PackageDetails = Static<typeof PackageDetails>;

/** Why an archive is refused: the `rule` of a note, and the `reason` of an `archive-refused` fault. */
export const ARCHIVE_REASONS = [
  "not-a-zip",
  "too-large",
  "too-many-entries",
  "too-large-unpacked",
  "suspicious-ratio",
  "absolute-path",
  "path-outside",
  "backslash-in-path",
  "bad-name",
  "path-too-long",
  "path-too-deep",
  "symbolic-link",
  "special-file",
  "encrypted",
  "unsupported-compression",
  "duplicate-entry",
  "case-collision",
  "file-and-folder",
  "overlapping-entries",
  "size-mismatch",
  "checksum-mismatch",
  "header-mismatch",
  "truncated",
  "trailing-data",
  "metadata-missing",
  "metadata-too-large",
  "metadata-unreadable",
  "icon-refused",
  "nothing-to-install",
] as const;
export type ArchiveReason = (typeof ARCHIVE_REASONS)[number];

/** One finding of a check; line and column are those of metadata.json. */
export const CheckNote = Type.Object({
  level: oneOf(["error", "warning"]),
  /** A stable word: "schema", a rule of the linter, or the reason why an archive is refused. */
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
    /** Who owns the package if it is new: the caller, or an organisation of theirs. */
    owner: Type.Optional(text(64)),
    /** Only check the archive; nothing is stored. */
    check: Type.Optional(Type.Boolean()),
    /** If the package is new: only its owner sees it, and whoever has a secret address. */
    private: Type.Optional(Type.Boolean()),
  },
  closed,
);

export const CheckedUpload = Type.Object({
  /** Whether it would be published if it were sent without `check`. */
  publishable: Type.Boolean(),
  identifier: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  version: Type.Optional(Type.String()),
  version_epoch: Type.Optional(Type.Integer()),
  download_sha256: Sha256,
  download_size: Bytes,
  install_size: Type.Optional(Bytes),
  file_count: Type.Optional(Type.Integer()),
  notes: Type.Array(CheckNote),
});
export type CheckedUpload = Static<typeof CheckedUpload>;

export const PublishedVersion = Type.Object({
  identifier: Type.String(),
  version: Type.String(),
  version_epoch: Type.Integer(),
  status: Status,
  owner: Type.String(),
  /** Whether only its owner sees the package, and whoever has a secret address. */
  private: Type.Boolean(),
  ...publishedArchive,
  warnings: Type.Array(CheckNote),
});
export type PublishedVersion = Static<typeof PublishedVersion>;

export const StatusChange = Type.Object({ status: Status });
export type StatusChange = Static<typeof StatusChange>;

/** DELETE /registry/packages/{identifier}/versions/{version}; everybody can read the reason. */
export const Unpublishing = Type.Object({
  reason: Type.String({ minLength: 1, maxLength: 500, pattern: "^[^\\u0000-\\u001f\\u007f]*$" }),
});

/** PATCH /registry/packages/{identifier} */
export const VisibilityChange = Type.Object({ private: Type.Boolean() });

/** GET /registry/private: what the caller may see that others may not. */
export const PrivatePackages = Type.Object({ packages: Type.Array(FoundPackage) });
export type PrivatePackages = Static<typeof PrivatePackages>;

const AddressName = Type.String({
  minLength: 1,
  maxLength: PRIVATE_LIMITS.maxNameCharacters,
  pattern: "^[^\\u0000-\\u001f\\u007f]*$",
});

/** POST /registry/addresses: a secret address of a repository with the private packages of an owner. */
export const CreateSecretAddress = Type.Object({
  /** Who uses it, such as "Workstation in the lab". */
  name: AddressName,
  /** The caller, or an organisation of theirs. */
  owner: Type.Optional(text(64)),
});

export const SecretAddress = Type.Object({
  id: Type.String(),
  name: Type.String(),
  created_at: Type.String(),
});
export type SecretAddress = Static<typeof SecretAddress>;

export const NewSecretAddress = Type.Object({
  ...SecretAddress.properties,
  /** Shown once. By brand: the addresses of repository.json. */
  urls: Type.Unsafe<Record<string, string>>({ type: "object", additionalProperties: { type: "string" } }),
});
export type NewSecretAddress = Static<typeof NewSecretAddress>;

export const RegistryKeys = Type.Object({
  keys: Type.Array(
    Type.Object({
      id: Type.String(),
      key: Type.String(),
      state: oneOf(["current", "next", "retired"]),
      created_at: Type.String(),
      /** From when on the next key may replace the current one. */
      ready_at: Type.Optional(Type.String()),
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
  /** The types of the listed packages, sorted. */
  types: Type.Array(Type.String()),
  update_timestamp: Type.Integer(),
  /** The size of the largest packages.json; KiCad refuses one that is larger than max_packages_bytes. */
  packages_bytes: Type.Integer(),
  max_packages_bytes: Type.Integer(),
  max_archive_bytes: Type.Integer(),
});
export type RegistryFacts = Static<typeof RegistryFacts>;
