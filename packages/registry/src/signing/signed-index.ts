import { sign } from "node:crypto";
import type { SchemaVersion } from "@backplane/contract/registry";
import { isBrand } from "../metadata/brands.ts";
import { isCount, isRecord, isSha256 } from "../values.ts";
import { isPublicKey, type PublicKey, privateKeyObject, type SigningKey } from "./keys.ts";

/** The key of the signed index in repository.json. Clients that do not know it ignore it. */
export const SIGNED_KEY = "signed_index";

/** What a file of the repository must be. */
export type SignedFile = { sha256: string; size: number };

/** What is signed: the state of a repository at one moment. */
export type IndexStatement = {
  format: "backplane-index-1";
  /** The name of the repository and the tool's brand. */
  name: string;
  brand: string;
  /** Grows with every change; clients never accept a smaller one. */
  counter: number;
  /** Seconds since 1970. After `expires` clients reject it, because somebody may be holding back newer ones. */
  issued: number;
  expires: number;
  packages: SignedFile;
  /** The list in version 2 of the schema, if it differs. */
  packages_v2?: SignedFile;
  resources?: SignedFile;
  manifests?: SignedFile;
  /** The keys that may sign the next statement. This is how keys rotate. */
  keys: PublicKey[];
};

/** As in repository.json: the exact bytes that were signed (JSON in base64url), and the signatures. */
export type SignedIndex = { statement: string; signatures: { key_id: string; signature: string }[] };

/** What a client remembers about a repository. Name and brand too, because one key may sign several repositories. */
export type TrustedIndex = {
  name: string;
  brand: string;
  keys: PublicKey[];
  counter: number;
  statementSha256: string;
};

export const SIGNING_LIMITS = {
  lifeS: 7 * 24 * 3_600,
  /** The longest life a client accepts: with a longer one, nobody would notice that newer statements are held back. */
  maxLifeS: 400 * 24 * 3_600,
  /** A statement is renewed after this much of its life, even if nothing changed. */
  renewAfterS: 24 * 3_600,
  /** Clocks differ. */
  toleranceS: 300,
  maxKeys: 8,
  maxStatementBytes: 8_192,
} as const;

const FORMAT = "backplane-index-1";
const MAX_NAME_CHARACTERS = 500;

/** Undefined if it is not a statement of this format. Unknown keys are dropped. */
export function readStatement(bytes: Uint8Array): IndexStatement | undefined {
  if (bytes.length > SIGNING_LIMITS.maxStatementBytes) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return undefined;
  }
  return isRecord(value) ? checkStatement(value) : undefined;
}

function checkStatement(value: Record<string, unknown>): IndexStatement | undefined {
  const { format, name, brand, counter, issued, expires } = value;
  if (format !== FORMAT) return undefined;
  if (typeof name !== "string" || [...name].length > MAX_NAME_CHARACTERS) return undefined;
  if (typeof brand !== "string" || !isBrand(brand)) return undefined;
  if (!isCount(counter) || !isCount(issued) || !isCount(expires)) return undefined;
  if (expires <= issued || expires - issued > SIGNING_LIMITS.maxLifeS) return undefined;
  const keys = readKeys(value.keys);
  const packages = readFile(value.packages);
  if (keys === undefined || packages === undefined) return undefined;
  const statement: IndexStatement = { format: FORMAT, name, brand, counter, issued, expires, packages, keys };
  for (const part of ["packages_v2", "resources", "manifests"] as const) {
    if (value[part] === undefined) continue;
    const file = readFile(value[part]);
    if (file === undefined) return undefined;
    statement[part] = file;
  }
  return statement;
}

/** The packages.json that a repository.json of this version of the schema must name. */
export const signedPackages = ({ packages, packages_v2 }: IndexStatement, version: SchemaVersion): SignedFile =>
  version === 1 ? packages : (packages_v2 ?? packages);

function readFile(value: unknown): SignedFile | undefined {
  if (!isRecord(value)) return undefined;
  const { sha256, size } = value;
  return isSha256(sha256) && isCount(size) ? { sha256, size } : undefined;
}

function readKeys(value: unknown): PublicKey[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > SIGNING_LIMITS.maxKeys) return undefined;
  const keys: PublicKey[] = [];
  for (const key of value as unknown[]) {
    if (!isPublicKey(key) || keys.some(({ id }) => id === key.id)) return undefined;
    keys.push({ id: key.id, key: key.key });
  }
  return keys;
}

/**
 * Signs a statement with every key. Statements that differ, even if only in their dates, need different counters:
 * clients reject a different one with the same counter. To rotate, sign with the old key and the new one, and name only
 * the new one in `keys`: clients that trust the old key then trust the new one instead.
 */
export function signIndex(statement: IndexStatement, keys: readonly SigningKey[]): SignedIndex {
  const bytes = Buffer.from(JSON.stringify(statement));
  if (readStatement(bytes) === undefined) throw new RangeError("No client would accept this statement.");
  if (keys.length === 0 || keys.length > SIGNING_LIMITS.maxKeys) {
    throw new RangeError(`A statement is signed with 1 to ${SIGNING_LIMITS.maxKeys} keys.`);
  }
  const signatures = keys.map((key) => ({
    key_id: key.id,
    signature: sign(null, bytes, privateKeyObject(key)).toString("base64url"),
  }));
  return { statement: bytes.toString("base64url"), signatures };
}
