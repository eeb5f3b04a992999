import assert from "node:assert/strict";
import { test } from "node:test";
import { createChecker } from "../metadata/check.ts";
import { newSigningKey, publicKeyOf } from "../signing/keys.ts";
import { SIGNING_LIMITS, signIndex } from "../signing/signed-index.ts";
import { verifyIndex } from "../signing/verify.ts";
import { RepositoryFault, type RepositoryParts, writeRepository } from "./repository-json.ts";
import { SHA256 } from "./samples.suite.ts";

const file = (name: string) => ({ url: `https://example.org/${name}`, sha256: SHA256, size: 12 });
const parts: RepositoryParts = {
  name: "Samples",
  brand: "tool",
  packages: file("packages.json"),
  resources: file("resources.zip"),
  manifests: file("manifests.json"),
  updateTimestamp: 1_700_000_000,
};
const parsed = (bytes: Buffer) => JSON.parse(bytes.toString()) as Record<string, Record<string, unknown>>;

test("update_time_utc is the UTC time of update_timestamp, in the contract's format", () => {
  const { packages, resources, manifests } = parsed(writeRepository(parts));
  for (const resource of [packages, resources, manifests]) {
    assert.equal(resource?.update_timestamp, 1_700_000_000);
    assert.equal(resource?.update_time_utc, "2023-11-14 22:13:20");
  }
});

test("a time outside the contract's format is given as a number only", () => {
  const { packages } = parsed(writeRepository({ ...parts, updateTimestamp: 0 }));
  assert.deepEqual([packages?.update_timestamp, packages?.update_time_utc], [0, undefined]);
});

test("the result passes the checker", () => {
  const maintainer = { name: "Ada", contact: { web: "https://example.org" } };
  const bytes = writeRepository({ ...parts, maintainer, schemaUrl: "https://example.org/schema.json" });
  assert.ok("value" in createChecker()(bytes.toString(), "Repository"));
});

test("version 2 of the schema is stated, version 1 is not, because it has no field for it", () => {
  const stated = (schemaVersion?: 1 | 2) => parsed(writeRepository({ ...parts, schemaVersion })).schema_version;
  assert.deepEqual([stated(), stated(1), stated(2)], [undefined, undefined, 2]);
});

test("what would not pass the checker is not written", () => {
  for (const bad of [
    { packages: { ...file("a"), url: "ftp://example.org/a" } },
    { packages: { ...file("a"), sha256: "no" } },
    { name: "n".repeat(501) },
    { updateTimestamp: 1.5 },
  ]) {
    assert.throws(() => writeRepository({ ...parts, ...bad }), { code: "repository-invalid" });
  }
});

test("repository.json stays under 20,480 bytes, or is not written", () => {
  const contact = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`web ${index}`, "x".repeat(500)]));
  const fault = (error: unknown) => error instanceof RepositoryFault && error.code === "repository-too-large";
  assert.throws(() => writeRepository({ ...parts, maintainer: { name: "Ada", contact } }), fault);
});

test("old clients still read a signed one: it passes the checker and is small even with the most keys", () => {
  const keys = Array.from({ length: SIGNING_LIMITS.maxKeys }, newSigningKey);
  const { sha256, size } = parts.packages;
  const signed = signIndex(
    {
      format: "backplane-index-1",
      name: parts.name,
      brand: "tool",
      counter: 1,
      issued: 100,
      expires: 200,
      packages: { sha256, size },
      resources: { sha256, size },
      manifests: { sha256, size },
      keys: keys.map(publicKeyOf),
    },
    keys,
  );
  const bytes = writeRepository({ ...parts, signed });
  assert.ok(bytes.length < 20_480);
  assert.ok("value" in createChecker()(bytes.toString(), "Repository"));
  assert.ok("statement" in verifyIndex(parsed(bytes), { nowS: 150 }));
});

test("the same parts give the same bytes", () => {
  assert.deepEqual(writeRepository(parts), writeRepository({ ...parts }));
});
