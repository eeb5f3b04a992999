import { type TSchema, Type } from "typebox";
import { type CheckOptions, metadataSchemas, type PartName } from "./schemas.ts";

const DESCRIPTIONS: Readonly<Record<PartName, string>> = {
  Package: "A package and its versions",
  PackageVersion: "One version of a package; of two the one with the higher epoch is later",
  PackageArray: "packages.json: every package of a repository",
  Repository: "repository.json: where the lists of a repository are",
  RepositoryResource: "A file of a repository, and when it was last changed",
  Contact: "A person or a group, and where they can be reached",
  URL: "An address that begins with https://, http:// or file://",
  License: "One of the licences that a package may name",
};

/**
 * The document of GET /schemas/package.v1.json: every resource as a definition, a package where none is named.
 * Draft 7, which all validators know.
 */
export function publishedSchema(brand: string, id: string, options: CheckOptions = {}): object {
  const definitions: Partial<Record<PartName, unknown>> = {};
  const define = (name: PartName, part: TSchema): TSchema => {
    definitions[name] = { description: DESCRIPTIONS[name], ...part };
    return Type.Unsafe({ $ref: `#/definitions/${name}` });
  };
  const { PackageArray, Repository } = metadataSchemas(brand, { ...options, use: define });
  define("PackageArray", PackageArray);
  define("Repository", Repository);
  return plain({
    $schema: "http://json-schema.org/draft-07/schema#",
    $id: id,
    title: "Package metadata, version 1",
    description: `Packages and repositories of packages, in the spelling of the brand "${brand}"`,
    // In draft 7 what stands beside a reference is passed over.
    allOf: [{ $ref: "#/definitions/Package" }],
    definitions,
  });
}

/** Without what the schema library keeps to itself. */
const plain = (schema: object): object => JSON.parse(JSON.stringify(schema)) as object;
