import { isPublicKey } from "./keys.ts";
import { type IndexStatement, type PublicKey, SIGNING_LIMITS, type SignedFile } from "./signed-index.ts";

const FORMAT = "backplane-index-1";
const SHA256 = /^[a-f0-9]{64}$/;
const BRAND = /^[a-z][a-z0-9]{0,30}$/;
const MAX_NAME_CHARACTERS = 500;

/** Undefined: it is no statement of this format. Keys that it does not know are left out. */
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
  if (typeof brand !== "string" || !BRAND.test(brand)) return undefined;
  if (!isCount(counter) || !isCount(issued) || !isCount(expires)) return undefined;
  if (expires <= issued || expires - issued > SIGNING_LIMITS.maxLifeS) return undefined;
  const keys = readKeys(value.keys);
  const packages = readFile(value.packages);
  if (keys === undefined || packages === undefined) return undefined;
  const statement: IndexStatement = { format: FORMAT, name, brand, counter, issued, expires, packages, keys };
  for (const part of ["resources", "manifests"] as const) {
    if (value[part] === undefined) continue;
    const file = readFile(value[part]);
    if (file === undefined) return undefined;
    statement[part] = file;
  }
  return statement;
}

function readFile(value: unknown): SignedFile | undefined {
  if (!isRecord(value)) return undefined;
  const { sha256, size } = value;
  return typeof sha256 === "string" && SHA256.test(sha256) && isCount(size) ? { sha256, size } : undefined;
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

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
