import { type TSchema, Type } from "typebox";
import { DEFAULT_BRAND, isBrand, toolVersionFields } from "./brands.ts";
import { LICENSES } from "./licenses.ts";

const oneOf = (values: readonly string[]) => Type.Unsafe<string>({ type: "string", enum: [...values] });
const text = (maxLength: number) => Type.String({ maxLength });
const shaped = (pattern: string) => Type.String({ pattern });
const setOf = (items: TSchema, more: { minItems?: number } = {}) => Type.Array(items, { uniqueItems: true, ...more });

/** http or https with a host and no whitespace, or file with a drive or a slash and no NUL; to the letter, at both ends. */
const URL_RULE = "^(https?://[^\\s/][^\\s]*|file://([A-Za-z]:|/)[^\\u0000]*)$";

/**
 * What the field's client takes: of http only how it begins is looked at, of file only how it ends; a host has two
 * characters or more, and does not begin with one of / $ . ? #. Read back from the end, as reading on from every
 * "file://" takes very long where there are many.
 */
export const LOOSE_URL_RULE = "^https?://[^\\s/$.?#].|$(?<=file://([A-Za-z]:|/)[^\\u0000]+)";

const Sha256 = shaped("^[a-f0-9]{64}$");
const Bytes = Type.Integer({ minimum: 0 });
const ToolVersion = shaped("^[0-9]{1,2}([.][0-9]{1,2}([.][0-9]{1,2})?)?$");

/** Names and short texts, and no other names. */
const named = (pattern: string) =>
  Type.Unsafe<Record<string, string>>({
    type: "object",
    patternProperties: { [pattern]: { type: "string", maxLength: 500 } },
    additionalProperties: false,
  });

export type MetadataKind = "Package" | "PackageArray" | "Repository" | "PackageVersion";
export type PartName = MetadataKind | "Contact" | "RepositoryResource" | "URL" | "License";

export type CheckOptions = {
  /** Addresses by the field's rule instead of the contract's. */
  looseUrls?: boolean;
};

export type SchemaOptions = CheckOptions & {
  /** What stands where a part is used: the part itself, or a reference to it. */
  use?: (name: PartName, part: TSchema) => TSchema;
};

/** The JSON Schema of each resource, with the tool's brand in the two names that carry it. Unknown keys are legal. */
export function metadataSchemas(
  brand = DEFAULT_BRAND,
  { looseUrls = false, use = (_name, part) => part }: SchemaOptions = {},
): Record<MetadataKind, TSchema> {
  if (!isBrand(brand)) throw new RangeError("A brand is up to 31 lower-case letters and digits, a letter first.");
  const { minimum, maximum } = toolVersionFields(brand);
  const Url = use("URL", shaped(looseUrls ? LOOSE_URL_RULE : URL_RULE));
  const License = use("License", oneOf(LICENSES));
  const Contact = use("Contact", Type.Object({ name: text(500), contact: named("^[a-z][-a-z0-9 ]{0,48}[a-z0-9]$") }));
  const PackageVersion = Type.Object({
    version: shaped("^[0-9]{1,4}([.][0-9]{1,4}([.][0-9]{1,6})?)?$"),
    version_epoch: Type.Optional(Type.Integer({ minimum: 0 })),
    download_url: Type.Optional(Url),
    download_sha256: Type.Optional(Sha256),
    download_size: Type.Optional(Bytes),
    install_size: Type.Optional(Bytes),
    status: oneOf(["stable", "testing", "development", "deprecated"]),
    platforms: Type.Optional(setOf(oneOf(["windows", "macos", "linux"]), { minItems: 1 })),
    runtime: Type.Optional(oneOf(["swig", "ipc"])),
    [minimum]: ToolVersion,
    [maximum]: Type.Optional(ToolVersion),
    keep_on_update: Type.Optional(setOf(Type.String())),
  });
  const Package = Type.Object({
    name: text(200),
    description: text(500),
    description_full: text(5_000),
    identifier: shaped("^[a-zA-Z][-a-zA-Z0-9.]{0,98}[a-zA-Z0-9]$"),
    type: oneOf(["plugin", "library", "colortheme"]),
    author: Contact,
    maintainer: Type.Optional(Contact),
    category: Type.Optional(Type.String()),
    license: License,
    resources: named("^[a-zA-Z][-a-zA-Z0-9 ]{0,48}[a-zA-Z0-9]$"),
    tags: Type.Optional(setOf(shaped("^[a-z][-a-z0-9]{0,48}[a-z0-9]$"), { minItems: 1 })),
    keep_on_update: Type.Optional(setOf(Type.String())),
    versions: setOf(use("PackageVersion", PackageVersion)),
  });
  const Resource = use(
    "RepositoryResource",
    Type.Object({
      url: Url,
      sha256: Type.Optional(Sha256),
      update_timestamp: Type.Integer(),
      update_time_utc: Type.Optional(shaped("^2[0-9]{3}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$")),
    }),
  );
  const Repository = Type.Object({
    name: text(500),
    packages: Resource,
    resources: Type.Optional(Resource),
    manifests: Type.Optional(Resource),
    maintainer: Type.Optional(Contact),
    $schema: Type.Optional(Url),
  });
  const PackageArray = Type.Object({ packages: Type.Array(use("Package", Package)) });
  return { Package, PackageArray, Repository, PackageVersion };
}
