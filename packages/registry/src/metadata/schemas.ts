import {
  Package,
  PackageArray,
  PackageVersion,
  Repository,
  SCHEMA_VERSIONS,
  type SchemaVersion,
} from "@backplane/contract/registry";
import { DEFAULT_BRAND, isBrand, toolVersionFields } from "./brands.ts";

/**
 * KiCad's own rule: it only checks how an http address begins and how a file address ends; a host has at least two
 * characters and does not begin with one of / $ . ? #. Matched backwards from the end, because trying every "file://"
 * forwards takes very long on a text with many of them.
 */
export const LOOSE_URL_RULE = "^https?://[^\\s/$.?#].|$(?<=file://([A-Za-z]:|/)[^\\u0000]+)";

const KINDS = { Package, PackageArray, Repository, PackageVersion };
export type MetadataKind = keyof typeof KINDS;

export type CheckOptions = {
  /** The version of the schema; "either": what can be published here. Default: 1. */
  version?: SchemaVersion | "either";
  /** Accept what KiCad accepts: addresses by its rule instead of the contract's, and licences that SPDX does not know. */
  looseUrls?: boolean;
};

/** A JSON Schema as plain data. */
type Schema = {
  title?: string;
  pattern?: string;
  format?: string;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  items?: Schema;
};

export type SchemaOptions = CheckOptions & {
  /** Replaces a titled part where it is used, for example by a reference to it. */
  use?: (title: string, part: Schema) => object;
};

/** The contract's schemas, with the brand in the names of the two fields that carry it. */
export function metadataSchemas(
  brand = DEFAULT_BRAND,
  { version = 1, looseUrls = false, use = (_title, part) => part }: SchemaOptions = {},
): Record<MetadataKind, object> {
  if (!isBrand(brand)) throw new RangeError("A brand is up to 31 lower-case letters and digits, a letter first.");
  const [neutral, branded] = [toolVersionFields(DEFAULT_BRAND), toolVersionFields(brand)];
  const names = new Map([
    [neutral.minimum, branded.minimum],
    [neutral.maximum, branded.maximum],
  ]);
  const nameOf = (field: string) => names.get(field) ?? field;

  const differences: Record<string, Record<string, Schema | undefined>> = version === "either"
    ? {}
    : SCHEMA_VERSIONS[version];
  const derive = ({ title = "", format, ...schema }: Schema): Schema => ({
    ...schema,
    ...(format !== undefined && !looseUrls ? { format } : {}),
    ...(title === "URL" && looseUrls ? { pattern: LOOSE_URL_RULE } : {}),
    ...(schema.required ? { required: schema.required.map(nameOf) } : {}),
    ...(schema.properties ? { properties: deriveAll({ ...schema.properties, ...differences[title] }) } : {}),
    ...(schema.items ? { items: deriveUsed(schema.items) } : {}),
  });
  const deriveUsed = (schema: Schema) => (schema.title ? use(schema.title, derive(schema)) : derive(schema));
  const deriveAll = (properties: Record<string, Schema | undefined>) =>
    Object.fromEntries(
      Object.entries(properties).flatMap(([name, schema]) => (schema ? [[nameOf(name), deriveUsed(schema)]] : [])),
    );

  const schemas = Object.entries(KINDS).map(([kind, schema]) => [kind, derive(schema as Schema)]);
  return Object.fromEntries(schemas) as Record<MetadataKind, object>;
}

/**
 * The documents at GET /schemas/package.v1.json and package.v2.json: every titled part is a definition, and the document
 * itself describes a package. Draft 7, because every validator knows it.
 */
export function publishedSchema(
  brand: string,
  id: string,
  { version = 1, ...options }: CheckOptions & { version?: SchemaVersion } = {},
): object {
  const definitions: Record<string, object> = {};
  const define = (title: string, part: object) => {
    definitions[title] = part;
    return { $ref: `#/definitions/${title}` };
  };
  const { PackageArray: array, Repository: repository } = metadataSchemas(brand, {
    ...options,
    version,
    use: define,
  });
  define("PackageArray", array);
  define("Repository", repository);
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    $id: id,
    title: `Package metadata, version ${version}`,
    description: `Packages and repositories of packages, in the spelling of the brand "${brand}"`,
    // Draft 7 ignores keywords next to a $ref.
    allOf: [{ $ref: "#/definitions/Package" }],
    definitions,
  };
}
