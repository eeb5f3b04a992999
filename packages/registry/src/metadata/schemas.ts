import { type TSchema, Type } from "typebox";
import { LICENSES } from "./licenses.ts";

/** The design tool's brand, which is part of two field names. */
const DEFAULT_BRAND = "tool";
const BRAND = /^[a-z][a-z0-9]{0,30}$/;

/** The names of the two fields that bound the tool's versions. */
const toolVersionFields = (brand: string): { minimum: string; maximum: string } => ({
  minimum: `${brand}_version`,
  maximum: `${brand}_version_max`,
});

const oneOf = (values: readonly string[]) => Type.Unsafe<string>({ type: "string", enum: [...values] });
const text = (maxLength: number) => Type.String({ maxLength });
const shaped = (pattern: string) => Type.String({ pattern });
const setOf = (items: TSchema, more: { minItems?: number } = {}) => Type.Array(items, { uniqueItems: true, ...more });

/** http or https with a host and no whitespace, or file with a drive or a slash and no NUL; to the letter, at both ends. */
const Url = shaped("^(https?://[^\\s/]+[^\\s]*|file://([A-Za-z]:|/)[^\\u0000]*)$");
const Sha256 = shaped("^[a-f0-9]{64}$");
const Bytes = Type.Integer({ minimum: 0 });
const ToolVersion = shaped("^[0-9]{1,2}([.][0-9]{1,2}([.][0-9]{1,2})?)?$");
const License = oneOf(LICENSES);

/** Names and short texts, and no other names. */
const named = (pattern: string) =>
  Type.Unsafe<Record<string, string>>({
    type: "object",
    patternProperties: { [pattern]: { type: "string", maxLength: 500 } },
    additionalProperties: false,
  });

const Contact = Type.Object({
  name: text(500),
  contact: named("^[a-z][-a-z0-9 ]{0,48}[a-z0-9]$"),
});

function packageVersion(brand: string) {
  const { minimum, maximum } = toolVersionFields(brand);
  return Type.Object({
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
}

function packageOf(brand: string) {
  return Type.Object({
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
    versions: setOf(packageVersion(brand)),
  });
}

const RepositoryResource = Type.Object({
  url: Url,
  sha256: Type.Optional(Sha256),
  update_timestamp: Type.Integer(),
  update_time_utc: Type.Optional(shaped("^2[0-9]{3}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$")),
});

const Repository = Type.Object({
  name: text(500),
  packages: RepositoryResource,
  resources: Type.Optional(RepositoryResource),
  manifests: Type.Optional(RepositoryResource),
  maintainer: Type.Optional(Contact),
  $schema: Type.Optional(Url),
});

export type MetadataKind = "Package" | "PackageArray" | "Repository" | "PackageVersion";

/** The JSON Schema of each resource, with the tool's brand in the two names that carry it. Unknown keys are legal. */
export function metadataSchemas(brand = DEFAULT_BRAND): Record<MetadataKind, TSchema> {
  if (!BRAND.test(brand)) throw new RangeError("A brand is up to 31 lower-case letters and digits, a letter first.");
  const Package = packageOf(brand);
  return {
    Package,
    PackageArray: Type.Object({ packages: Type.Array(Package) }),
    Repository,
    PackageVersion: packageVersion(brand),
  };
}
