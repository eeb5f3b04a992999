import assert from "node:assert/strict";
import { test } from "node:test";
import { LICENSES } from "@backplane/contract/registry";
import { publishedSchema } from "./schemas.ts";

/** The contract's tables: definition, field, type, constraints. A * before the field: required. */
const ROWS = `
Package | *name | string | max length 200
Package | *description | string | short description, max length 500
Package | *description_full | string | long description, max length 5000
Package | *identifier | string | pattern ^[a-zA-Z][-a-zA-Z0-9.]{0,98}[a-zA-Z0-9]$
Package | *type | string | one of: plugin, library, colortheme
Package | *author | Contact | required
Package | maintainer | Contact | optional
Package | category | string | optional
Package | *license | License | one of the License values below
Package | *resources | object | keys match ^[a-zA-Z][-a-zA-Z0-9 ]{0,48}[a-zA-Z0-9]$; values are strings, max length 500; no other keys allowed
Package | tags | array of string | optional; each matches ^[a-z][-a-z0-9]{0,48}[a-z0-9]$; at least 1 item; items unique
Package | keep_on_update | array of string | optional; regular expressions naming files kept on package update; items unique
Package | *versions | array of PackageVersion | items unique
Contact | *name | string | max length 500
Contact | *contact | object | keys match ^[a-z][-a-z0-9 ]{0,48}[a-z0-9]$; values are strings, max length 500; no other keys allowed
PackageVersion | *version | string | major[.minor[.patch]]; pattern ^[0-9]{1,4}([.][0-9]{1,4}([.][0-9]{1,6})?)?$
PackageVersion | version_epoch | integer | minimum 0; a higher epoch is considered later
PackageVersion | download_url | URL | direct download of the archive
PackageVersion | download_sha256 | string | lower-case hex, pattern ^[a-f0-9]{64}$
PackageVersion | download_size | integer | bytes, minimum 0
PackageVersion | install_size | integer | extracted size in bytes, minimum 0
PackageVersion | *status | string | one of: stable, testing, development, deprecated
PackageVersion | platforms | array of string | each one of: windows, macos, linux; at least 1 item; unique
PackageVersion | runtime | string | one of: swig, ipc; the runtime a plugin needs; assumed swig when absent; not used for packages that are not plugins
PackageVersion | *tool_version | string | minimum supported tool version; pattern ^[0-9]{1,2}([.][0-9]{1,2}([.][0-9]{1,2})?)?$
PackageVersion | tool_version_max | string | maximum supported tool version; pattern ^[0-9]{1,2}([.][0-9]{1,2}([.][0-9]{1,2})?)?$
PackageVersion | keep_on_update | array of string | regular expressions; unique
PackageArray | *packages | array of Package |
Repository | *name | string | max length 500
Repository | *packages | RepositoryResource | reference to package metadata
Repository | resources | RepositoryResource | reference to an archive of additional resource files
Repository | manifests | RepositoryResource | reference to package manifests
Repository | maintainer | Contact | optional
Repository | $schema | URL | optional
RepositoryResource | *url | URL |
RepositoryResource | sha256 | string | lower-case hex, pattern ^[a-f0-9]{64}$
RepositoryResource | *update_timestamp | integer | update time of the file
RepositoryResource | update_time_utc | string | human-readable UTC time, format YYYY-MM-DD HH:MM:SS, pattern ^2[0-9]{3}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$
`
  .trim()
  .split("\n")
  .map((row) => {
    const [part = "", name = "", type = "", constraints = ""] = row.split(" | ").map((cell) => cell.trim());
    const field = name.replace("*", "");
    return {
      row,
      part,
      field,
      isRequired: name !== field,
      type: type.replace(/ \|$/, ""),
      constraints,
    };
  });

type Schema = { properties: Record<string, object>; required?: string[] };
const { definitions } = publishedSchema("tool", "https://packages.example/schema") as {
  definitions: Record<string, Schema>;
};

/** The exact schema that a row requires. */
function asked(type: string, constraints: string): object {
  const [, listOf] = /^array of (\w+)$/.exec(type) ?? [];
  if (listOf !== undefined) {
    return {
      type: "array",
      items: asked(
        listOf,
        constraints.replaceAll(/each (matches )?/g, (_, isShape) => (isShape ? "pattern " : "")),
      ),
      ...(constraints.includes("unique") ? { uniqueItems: true } : {}),
      ...(constraints.includes("at least 1 item") ? { minItems: 1 } : {}),
    };
  }
  if (type === "object") {
    const [, keys = ""] = /keys match (.*?\$)/.exec(constraints) ?? [];
    const [, length] = /max length (\d+)/.exec(constraints) ?? [];
    return {
      type: "object",
      patternProperties: { [keys]: { type: "string", maxLength: Number(length) } },
      additionalProperties: !constraints.includes("no other keys allowed"),
    };
  }
  if (/^[A-Z]/.test(type)) return { $ref: `#/definitions/${type}` };
  const [, length] = /max length (\d+)/.exec(constraints) ?? [];
  const [, pattern] = /pattern (\^.*?\$)(?:;|$)/.exec(constraints) ?? [];
  const [, values] = /one of: ([^;]+)/.exec(constraints) ?? [];
  const [, minimum] = /minimum (\d+)/.exec(constraints) ?? [];
  return {
    type,
    ...(length === undefined ? {} : { maxLength: Number(length) }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(values === undefined ? {} : { enum: values.split(", ") }),
    ...(minimum === undefined ? {} : { minimum: Number(minimum) }),
  };
}

for (const { row, part, field, isRequired, type, constraints } of ROWS) {
  test(`the published schema says exactly: ${row}`, () => {
    const { properties, required = [] } = definitions[part] as Schema;
    assert.deepEqual(properties[field], asked(type, constraints));
    assert.equal(required.includes(field), isRequired);
  });
}

test("the published schema has no field that the contract does not have", () => {
  for (const part of Object.keys(definitions)) {
    const fields = ROWS.filter((row) => row.part === part).map(({ field }) => field);
    assert.deepEqual(Object.keys(definitions[part]?.properties ?? {}).sort(), fields.sort(), part);
  }
});

test("License, exactly one of: as listed", () => {
  const { description: _, ...license } = definitions.License as unknown as Record<string, unknown>;
  assert.deepEqual(license, { type: "string", enum: LICENSES });
});
