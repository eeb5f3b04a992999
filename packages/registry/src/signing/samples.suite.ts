import { createHash } from "node:crypto";
import { newSigningKey, publicKeyOf, type SigningKey } from "./keys.ts";
import { type IndexStatement, SIGNED_KEY, type SignedIndex, signIndex } from "./signed-index.ts";

export const NOW_S = 1_800_000_000;

export const shaOf = (text: string): string => createHash("sha256").update(text).digest("hex");

export const sampleKey: SigningKey = newSigningKey();

export function sampleStatement(changes: Partial<IndexStatement> = {}): IndexStatement {
  return {
    format: "backplane-index-1",
    name: "Samples",
    brand: "tool",
    counter: 7,
    issued: NOW_S,
    expires: NOW_S + 3_600,
    packages: { sha256: shaOf("packages"), size: 8 },
    resources: { sha256: shaOf("resources"), size: 9 },
    manifests: { sha256: shaOf("manifests"), size: 9 },
    keys: [publicKeyOf(sampleKey)],
    ...changes,
  };
}

/** repository.json with this under the signed index's key, and the files that the statement names. */
export function repositoryWith(
  signed: SignedIndex | undefined,
  statement = sampleStatement(),
): Record<string, unknown> {
  const resource = (file: { sha256: string } | undefined, name: string) =>
    file && { url: `https://example.org/${name}`, sha256: file.sha256, update_timestamp: NOW_S };
  const value = {
    name: statement.name,
    packages: resource(statement.packages, "packages.json"),
    resources: resource(statement.resources, "resources.zip"),
    manifests: resource(statement.manifests, "manifests.json"),
    [SIGNED_KEY]: signed,
  };
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
}

export const signedRepository = (
  changes: Partial<IndexStatement> = {},
  keys: readonly SigningKey[] = [sampleKey],
): Record<string, unknown> => {
  const statement = sampleStatement(changes);
  return repositoryWith(signIndex(statement, keys), statement);
};
